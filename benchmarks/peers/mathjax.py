"""Whether LaTeX and the MathML that MathJax makes of it give one operator tree (needs Node.js; development only).

::

    python -m benchmarks peers mathjax --data ../shared/data [--sources arqmath-mini,hott] [--show 10]
    python -m benchmarks peers mathjax --suite CHECKOUT/testsuite

The formulas are all distinct ones of the collections of :mod:`benchmarks.common.real_formulas`, a list of our own with
the commands of the packages that MathJax knows (``mathjax_formulas.toml``), and every command that is one symbol in
these packages, asked of MathJax itself. MathJax comes from npm, into ``benchmarks/work/mathjax`` at the first run, or
is found by ``--mathjax``: a folder with ``node_modules``. Its MathML is kept in ``--work`` and used again. What it
reports as an error is left out of the comparison. ``--suite`` compares the snapshots of its own test suite instead:
LaTeX and MathML of each are read from a checkout of its sources. Those that differ are counted by kind, with the reason
of each kind (``mathjax_differences.toml``).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import HERE, WORK
from benchmarks.common.real_formulas import COLLECTIONS, distinct_formulas
from benchmarks.common.spelling_table import HEADER, Comparison, print_comparison, tree_of
from benchmarks.peers.mathjax_suite import compare_suite
from porism.formula import parse_latex, parse_mathml

VERSION = "4.1.3"
PLAIN = ("base", "ams", "newcommand", "boldsymbol", "cancel", "color", "enclose", "mathtools", "unicode", "html")
"""Packages of MathJax for formulas that do not say what they need."""
OWN = HERE / "peers" / "mathjax_formulas.toml"
BATCH = 500


def main() -> int:
    """Parses arguments, compares each source, and prints the shares."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, help="folder of the collections; without it only our own list is read")
    arguments.add_argument("--sources", default=",".join(COLLECTIONS), help="names of collections, by commas")
    arguments.add_argument("--suite", type=Path, help="folder testsuite of a checkout of MathJax's sources")
    arguments.add_argument("--mathjax", type=Path, help="folder whose node_modules has @mathjax/src")
    arguments.add_argument("--work", type=Path, default=WORK / "mathjax", help="keeps MathJax and its MathML")
    arguments.add_argument("--show", type=int, default=0, help="print so many kinds of differences, and as many pairs")
    options = arguments.parse_args()
    if options.suite is not None:
        compare_suite(options.suite, options.show)
        return 0
    folder = options.mathjax or installed(options.work)
    if folder is None:
        print("MathJax needs Node.js with npm: install them, or name a folder by --mathjax", file=sys.stderr)
        return 1
    print(HEADER)
    for group, packages, formulas in own_formulas():
        print_comparison(compare(group, formulas, packages, folder, options.work), options.show)
    for package in ("base", "ams", "mathtools", "textcomp", "gensymb", "upgreek"):
        formulas = [f"a {command} b" for command in symbols(package, folder)]
        packages = dict.fromkeys(("base", "ams", package))
        print_comparison(compare(f"symbols {package}", formulas, tuple(packages), folder, options.work), options.show)
    if options.data is not None:
        total = Comparison("real formulas")
        for name in options.sources.split(","):
            found = compare(name, distinct_formulas(options.data, name), PLAIN, folder, options.work)
            print_comparison(found, options.show)
            total.compared += found.compared
            total.equal += found.equal
            total.left_out += found.left_out
        print_comparison(total, 0)
    return 0


def own_formulas() -> Iterator[tuple[str, tuple[str, ...], list[str]]]:
    """Our list: name, packages and formulas of each group."""
    for group, entry in tomllib.loads(OWN.read_text(encoding="utf-8")).items():
        formulas = [line.strip() for line in entry["formulas"].splitlines() if line.strip()]
        yield group, tuple(entry["packages"]), formulas


def installed(work: Path) -> Path | None:
    """The folder that has MathJax, installed there if need be; None where npm is missing."""
    folder = work / "npm"
    if (folder / "node_modules" / "@mathjax" / "src").is_dir():
        return folder
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    subprocess.run([npm, "install", "--no-audit", "--no-fund", f"@mathjax/src@{VERSION}"], cwd=folder, check=True)
    return folder


def _ask(folder: Path, requests: Sequence[dict[str, object]]) -> list[list[str]]:
    """The answers of one process of Node.js to some requests."""
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run(
        ["node", "--stack-size=4000", str(HERE / "peers" / "mathjax.mjs")], cwd=folder, input=lines, text=True,
        capture_output=True, check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def symbols(package: str, folder: Path) -> list[str]:
    """The commands that are one symbol in a package of MathJax."""
    return _ask(folder, [{"packages": [package], "symbols": True}])[0]


def mathml_of(formulas: list[str], packages: tuple[str, ...], folder: Path, work: Path) -> list[str]:
    """MathJax's MathML of formulas, from the cache where they are in it; empty where MathJax reports an error."""
    key = hashlib.sha256("\n".join([VERSION, *packages, *formulas]).encode(errors="surrogatepass")).hexdigest()[:16]
    path = work / f"{key}.json"
    if not path.exists():
        batches = [formulas[begin : begin + BATCH] for begin in range(0, len(formulas), BATCH)]
        answers = _ask(folder, [{"packages": packages, "latex": batch} for batch in batches])
        work.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps([mathml for answer in answers for mathml in answer]), encoding="utf-8")
    return list(json.loads(path.read_text(encoding="utf-8")))


def compare(name: str, formulas: list[str], packages: tuple[str, ...], folder: Path, work: Path) -> Comparison:
    """Both readings of some formulas."""
    found = Comparison(name)
    for latex, mathml in zip(formulas, mathml_of(formulas, packages, folder, work), strict=True):
        if mathml and "<merror" not in mathml:
            found.add(latex, mathml, tree_of(parse_latex(latex)), tree_of(parse_mathml(mathml)))
        else:
            found.left_out += 1
    return found


if __name__ == "__main__":
    sys.exit(main())
