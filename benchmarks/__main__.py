"""Lists the benchmarks, and runs one: ``python -m benchmarks GROUP NAME [OPTIONS]``."""

from __future__ import annotations

import ast
import difflib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import HERE, ROOT

GROUPS = ("effectiveness", "ablations", "peers", "speed", "robustness")


def benchmarks() -> dict[tuple[str, str], Path]:
    """Group and name of each benchmark, and its file: the modules of the groups that run as programs."""
    return {
        (group, path.stem): path
        for group in GROUPS
        for path in sorted((HERE / group).glob("*.py"))
        if '__name__ == "__main__"' in path.read_text(encoding="utf-8")
    }


def summary(path: Path) -> str:
    """The first sentence of a module's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n", 1)[0].split())


def listing() -> str:
    """All groups with their benchmarks, a line each."""
    known = benchmarks()
    lines = ["python -m benchmarks GROUP NAME [OPTIONS]     (--help after NAME: its options)"]
    for group in GROUPS:
        lines += ["", f"{group}: {summary(HERE / group / '__init__.py')}"]
        lines += [f"  {name:17}{summary(path)}" for (of, name), path in known.items() if of == group]
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Lists the benchmarks without arguments, or runs the one that is named; gives the exit code."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(listing())
        return 0
    known = benchmarks()
    named = tuple(arguments[:2])
    if named not in known:
        near = difflib.get_close_matches(" ".join(named), [" ".join(one) for one in known], 1, 0.5)
        hint = f" Did you mean {near[0]}?" if near else " python -m benchmarks lists all."
        print(f"there is no benchmark {' '.join(named)!r}.{hint}", file=sys.stderr)
        return 2
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)  # for the processes that it starts, too
    return subprocess.call([sys.executable, "-m", ".".join(("benchmarks", *named)), *arguments[2:]])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
