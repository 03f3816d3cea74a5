"""The first command compiles all kernels at once and says so; later ones compile nothing."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from case_tables import every_case
from long_forms import LONG, LONG_ONLY

from porism.cli.progress import compile_once
from porism.system.compiled.building import kernels_of
from porism.system.compiled.warmup import SEARCHING, Compilation, compilation

MAX_LEFT = 1_200
"""In the short form only kernels of fewer bytes of code are compiled anew; the long form compiles all."""

COMMANDS = """
import sys
import numba.core.event as ev
from porism.cli import main

notes, index = sys.argv[1:]
commands = [
    ("index", notes, "--index", index, "--jobs", "1"),
    ("search", "sum of squares $n^2$", "--index", index, "--explain"),
    ("search", "--formulas", "$n^2$", "--index", index, "--explain"),
    ("search", "words", "--index", index, "--relevant", "notes/one.md"),
    ("search", "words $x$", "--index", index, "--model", "plain"),
    ("search", "words $x$", "--index", index, "--model", "paths"),
    ("similar", "notes/one.md", "--index", index),
    ("index", notes, "--index", index, "--jobs", "1"),
    ("delete", "notes/one.md", "--index", index),
    ("merge", "--index", index),
    ("update", "--index", index),
    ("check", "--index", index),
    ("info", index),
]
with ev.install_recorder("numba:compile") as seen:
    for command in commands:
        try:
            main(list(command))
        except SystemExit as end:
            assert not end.code, (command, end.code)
print("compiled:", [str(event.data["dispatcher"]) for _, event in seen.buffer if event.is_start])
"""


DEMO = """
import sys
import numba.core.event as ev
from porism.cli import main

with ev.install_recorder("numba:compile") as seen:
    try:
        main(["demo", "--index", sys.argv[1]])
    except SystemExit as end:
        assert not end.code, end.code
print("compiled:", [str(event.data["dispatcher"]) for _, event in seen.buffer if event.is_start])
"""
"""Indexes while other processes compile; this one waits for what they make."""


@LONG_ONLY
def test_one_command_compiles_what_all_need_even_after_an_interruption(tmp_path, monkeypatch):
    notes, index = tmp_path / "notes", tmp_path / "index"
    notes.mkdir()
    (notes / "one.md").write_text("# Squares\n\nThe sum of words $n^2 + x$ and $\\sum_{i=1}^m i^2$.\n")
    (notes / "two.md").write_text("# Cubes\n\nOther words $n^3 + x$ are told.\n")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    if not LONG:
        copy_most_kernels(tmp_path / "cache", monkeypatch)
    command = [sys.executable, "-m", "porism", "index", notes, "--index", index, "--jobs", "1"]
    with subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as first:
        assert first.stderr is not None
        assert "Compiling the kernels once, about " in first.stderr.readline()
        os.killpg(first.pid, signal.SIGINT)  # as a terminal does
        _, left = first.communicate()
    assert first.returncode in (130, -signal.SIGINT)  # Python may end itself by the signal; shells say 130 of both
    assert left.strip().splitlines()[-1] == "Interrupted."
    demo = [sys.executable, "-c", DEMO, tmp_path / "demo"]
    second = subprocess.run(demo, env=environment, capture_output=True, text=True, check=True)
    assert second.stderr.count("Compiling the kernels once, about ") == 1
    assert second.stdout.strip().splitlines()[-1] == "compiled: []"
    before = compiled_files(tmp_path)
    script = [sys.executable, "-c", COMMANDS, notes, index]
    later = subprocess.run(script, env=environment, capture_output=True, text=True, check=True)
    assert "Compiling" not in later.stderr
    assert later.stdout.strip().splitlines()[-1] == "compiled: []"
    assert compiled_files(tmp_path) == before


def copy_most_kernels(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fills a new cache with the kernels that are compiled here, all but the smallest of each module."""
    work = compilation()
    if work is not None:
        work.run()
    kernels = kernels_of(SEARCHING)
    folders = [kernel.cache_folder() for kernel in kernels]
    with monkeypatch.context() as changes:
        changes.setattr("numba.config.CACHE_DIR", str(cache))
        copies = [kernel.cache_folder() for kernel in kernels]
    left = {kernel.module: kernel for kernel in kernels if kernel.size < MAX_LEFT}  # the last is the smallest
    for kernel, folder, copy in zip(kernels, folders, copies, strict=True):
        if kernel not in left.values():
            assert folder is not None
            assert copy is not None
            Path(copy).mkdir(parents=True, exist_ok=True)
            for file in Path(folder).glob(f"{kernel.module.rpartition('.')[2]}.{kernel.__name__}-*"):
                shutil.copy2(file, copy)


def compiled_files(folder: Path) -> dict[Path, int]:
    """The files of compiled code, with the time at which each was written."""
    found = {path: path.stat().st_mtime_ns for path in (folder / "cache").rglob("*.kernel")}
    assert found
    return found


def missing(kept: bool) -> Compilation:
    return Compilation((), 7, kept)


def test_nothing_is_said_where_all_is_compiled(capsys):
    if (work := compilation()) is not None:
        work.run()
    compile_once()
    assert capsys.readouterr() == ("", "")


@every_case("kept", [True, False])
def test_the_message_names_the_time_and_what_to_do_where_nothing_is_kept(capsys, monkeypatch, kept):
    ran = []
    monkeypatch.setattr("porism.system.compiled.warmup.compilation", lambda modules: missing(kept))
    monkeypatch.setattr(Compilation, "meanwhile", lambda self, on_progress: nullcontext(ran.append(on_progress)))
    compile_once()
    compile_once(quiet=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert len(ran) == 2
    assert err.count("Compiling the kernels once, about 7 s …") == 1
    assert err.count("export NUMBA_CACHE_DIR=FOLDER") == (0 if kept else 1)


def test_the_help_loads_no_compiler():
    script = (
        "import sys\n"
        "from porism.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'numba', 'numpy'} & set(sys.modules), 'loaded for the help'\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


def test_an_index_that_is_not_there_is_told_before_anything_is_compiled(porism, tmp_path, monkeypatch):
    monkeypatch.setattr("porism.system.compiled.warmup.compilation", lambda modules: pytest.fail("asked for kernels"))
    for command in (("search", "x"), ("search", "--formulas", "x"), ("similar", "x"), ("delete", "x"), ("merge",)):
        result = porism(*command, "--index", tmp_path / "nowhere")
        assert result.status == 1
        assert "there is no index here" in result.err
    result = porism("index", tmp_path / "nothing", "--index", tmp_path / "new")
    assert result.status == 1
