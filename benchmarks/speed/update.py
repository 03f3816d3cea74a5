"""How long an update takes where one document in a hundred has changed, beside the time of indexing all of them.

::

    python -m benchmarks speed update --documents 20000 --rounds 5

Made-up documents as a folder of Markdown files, as one JSONL file, as a LaTeX project whose chapters are documents by
themselves with common macros, and as one LaTeX document that inputs its chapters. Each round changes 1 % of the
documents and updates; the median of the rounds is compared with the time of making the index. Changes are spread over
as many files as there are changed documents, or for LaTeX over 1 % of the chapters.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import porism

WORDS = (
    "group ring field ideal module prime compact open closed set function limit series sum integral matrix vector "
    "space norm basis kernel image rank eigenvalue bounded continuous convergent sequence measure random variable "
    "graph tree path"
).split()
CHAPTER = 100
"""Documents of a chapter of LaTeX."""


def formula(chance: random.Random) -> str:
    """A formula that is likely to be the only one of its kind."""
    a, b, c = chance.sample("abcdfghkmnpqrstuvxyz", 3)
    number = chance.randint(1, 99)
    return chance.choice([
        f"{a}^{{{number}}}+{b}^{{{number}}}={c}", rf"\sum_{{{a}=1}}^{{{b}}} {a}^{{{number}}}",
        rf"\frac{{{a}+{number}}}{{{b}-{c}}}", rf"\int_0^{{{number}}} {a}({b})\,d{b}", rf"\|{a}{b}\|\le {number}\|{c}\|",
    ])


def text(number: int, version: int) -> str:
    """The body of a document: about fifty words and six formulas, the same for the same number and version."""
    chance = random.Random(f"{number} {version}")
    sentences = (" ".join(chance.choices(WORDS, k=8)) + f" ${formula(chance)}$." for _ in range(6))
    return " ".join(sentences)


def write_markdown(folder: Path, versions: list[int]) -> None:
    """A file a document, a hundred in each folder; files that are as they should be are left alone."""
    for number, version in enumerate(versions):
        path = folder / f"{number // 100:04}" / f"note{number}.md"
        content = f"# Note {number}\n\n{text(number, version)}\n"
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != content:
            path.write_text(content, encoding="utf-8")


def write_jsonl(folder: Path, versions: list[int]) -> None:
    """One file."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "records.jsonl").open("w", encoding="utf-8") as file:
        for number, version in enumerate(versions):
            record = {"id": f"r{number}", "title": f"Note {number}", "body": text(number, version)}
            file.write(json.dumps(record) + "\n")


def chapters(versions: list[int]) -> list[str]:
    """Chapters of a hundred theorems."""
    found = []
    for first in range(0, len(versions), CHAPTER):
        theorems = "".join(
            f"\\begin{{theorem}}\\label{{thm:{first + place}}} {text(first + place, version)}\n\\end{{theorem}}\n\n"
            for place, version in enumerate(versions[first : first + CHAPTER])
        )
        found.append(f"\\chapter{{Chapter {first // CHAPTER}}}\n\n{theorems}")
    return found


def write_if_other(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != content:
        path.write_text(content, encoding="utf-8")


def write_chapters(folder: Path, versions: list[int]) -> None:
    """A document a chapter, all with the same macros."""
    write_if_other(folder / "macros.tex", "\\newcommand{\\R}{\\mathbb{R}}\n")
    head = "\\documentclass{book}\n\\input{macros}\n\\begin{document}\n"
    for number, chapter in enumerate(chapters(versions)):
        write_if_other(folder / f"chapter{number:03}.tex", f"{head}{chapter}\\end{{document}}\n")


def write_book(folder: Path, versions: list[int]) -> None:
    """One document that inputs its chapters."""
    parts = chapters(versions)
    inputs = "".join(f"\\input{{chapter{number:03}}}\n" for number in range(len(parts)))
    write_if_other(folder / "main.tex", f"\\documentclass{{book}}\n\\begin{{document}}\n{inputs}\\end{{document}}\n")
    for number, chapter in enumerate(parts):
        write_if_other(folder / f"chapter{number:03}.tex", chapter)


KINDS: dict[str, tuple[Callable[[Path, list[int]], None], bool]] = {
    "markdown": (write_markdown, False), "jsonl": (write_jsonl, False), "chapters": (write_chapters, True),
    "book": (write_book, True),
}
"""Kind → what writes it, and whether changes keep to a few chapters."""


def measure(kind: str, documents: int, rounds: int, jobs: int | None, folder: Path) -> dict[str, float]:
    """Seconds of making the index, and medians of the rounds: with 1 % changed, and with nothing changed."""
    write, together = KINDS[kind]
    source, index = folder / kind, folder / f"{kind}-index"
    versions = [0] * documents
    write(source, versions)
    started = time.perf_counter()
    made = porism.index_sources([source], index, jobs=jobs)
    whole = time.perf_counter() - started
    chance = random.Random(7)
    changed_seconds, same_seconds = [], []
    for turn in range(1, rounds + 1):
        if together:
            first = chance.sample(range(0, documents, CHAPTER), max(1, documents // 100 // CHAPTER))
            changed = [number for start in first for number in range(start, min(start + CHAPTER, documents))]
        else:
            changed = chance.sample(range(documents), documents // 100)
        for number in changed:
            versions[number] = turn
        write(source, versions)
        started = time.perf_counter()
        report = porism.update_index(index, jobs=jobs)
        changed_seconds.append(time.perf_counter() - started)
        assert (report.added, report.changed, report.removed) == (0, len(changed), 0), report
        started = time.perf_counter()
        report = porism.update_index(index, jobs=jobs)
        same_seconds.append(time.perf_counter() - started)
        assert report.documents == 0
    assert made.documents >= documents
    return {"whole": whole, "changed": statistics.median(changed_seconds), "same": statistics.median(same_seconds)}


def main() -> None:
    """Prints a line for each kind of source."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--kinds", default=",".join(KINDS))
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="porism-update-"))
    try:
        for kind in given.kinds.split(","):
            found = measure(kind, given.documents, given.rounds, given.jobs, folder)
            whole, changed, same = found["whole"], found["changed"], found["same"]
            print(
                f"{kind:<10} all {whole:7.1f} s   1 % {changed:6.2f} s ({100 * changed / whole:.1f} %)   "
                f"nothing {same:6.2f} s ({100 * same / whole:.1f} %)", flush=True,
            )
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
