"""Lucene out of Anserini's jar, driven through :file:`LuceneDriver.java`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

DRIVER = Path(__file__).parent / "LuceneDriver.java"
JAR = "anserini-0.22.1-fatjar.jar"
WHEEL = "pyserini==0.22.1"


class Unavailable(Exception):
    """A contender cannot run here; the message says what to install."""


def find_jar(work: Path, named: str | None = None) -> Path:
    """Anserini's jar: the one named, that of ``ANSERINI_JAR``, or out of pyserini's wheel (fetched once, 140 MB).

    :raises Unavailable: it is not there and cannot be fetched.
    """
    if named := named or os.environ.get("ANSERINI_JAR"):
        if not Path(named).is_file():
            raise Unavailable(f"there is no file {named}")
        return Path(named)
    jar = work / JAR
    if not jar.exists():
        work.mkdir(parents=True, exist_ok=True)
        fetched = subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(work), WHEEL],
            capture_output=True, text=True, timeout=600,
        )
        wheels = list(work.glob("pyserini-*.whl"))
        if fetched.returncode or not wheels:
            raise Unavailable(f"pip download --no-deps {WHEEL} (then set ANSERINI_JAR to the {JAR} in it)")
        with zipfile.ZipFile(wheels[0]) as wheel:
            inside = next(name for name in wheel.namelist() if name.endswith(f"/{JAR}"))
            part = jar.with_suffix(".part")
            with wheel.open(inside) as source, part.open("wb") as target:
                shutil.copyfileobj(source, target)
        part.rename(jar)
        wheels[0].unlink()
    return jar


def java_command(jar: Path, classes: Path) -> list[str]:
    """The command that starts the driver, to which its arguments are added; compiles it to ``classes`` before.

    The heap is bounded and its collector has one thread, so that a search is one thread's work.

    :raises Unavailable: there is no Java compiler.
    """
    classes.mkdir(parents=True, exist_ok=True)
    try:
        compiled = subprocess.run(
            ["javac", "-cp", str(jar), "-d", str(classes), str(DRIVER)], capture_output=True, text=True
        )
    except FileNotFoundError:
        raise Unavailable("install a JDK, version 17 (javac and java)") from None
    if compiled.returncode:
        raise Unavailable(f"javac failed: {compiled.stderr.strip()[-500:]}")
    return ["java", "-XX:+UseSerialGC", "-Xmx2g", "-cp", os.pathsep.join([str(jar), str(classes)]), "LuceneDriver"]
