"""How long an update takes where one document in a hundred has changed, beside the time of indexing all of them.

::

    python -m benchmarks speed update --documents 20000 --rounds 5

Made-up documents as a folder of Markdown files, as one JSONL file, as a LaTeX project whose chapters are documents by
themselves with common macros, as one LaTeX document that inputs its chapters, and as zip files of 1,000 Markdown files.
Each round changes 1 % of the documents and updates; the median of the rounds is compared with the time of making the
index. Changes are spread over as many files as there are changed documents, or for LaTeX over 1 % of the chapters; of
all archives, one document changes. Times are of the processor, of all processes together (``--wall``: by the clock).
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import statistics
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import porism

WORDS = (
    "group ring field ideal module prime compact open closed set function limit series sum integral matrix vector "
    "space norm basis kernel image rank eigenvalue bounded continuous convergent sequence measure random variable "
    "graph tree path"
).split()
CHAPTER = 100
"""Documents of a chapter of LaTeX."""
MEMBERS = 1_000
"""Documents of an archive."""


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


def write_archives(folder: Path, versions: list[int]) -> None:
    """Zip files with a file a document; those in which nothing changes are left alone."""
    folder.mkdir(parents=True, exist_ok=True)
    for first in range(0, len(versions), MEMBERS):
        path, now = folder / f"notes{first // MEMBERS:03}.zip", versions[first : first + MEMBERS]
        state = json.dumps(now).encode()
        if path.exists():
            with zipfile.ZipFile(path) as archive:
                if archive.comment == state:
                    continue
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.comment = state
            for number, version in enumerate(now, first):
                archive.writestr(f"note{number}.md", f"# Note {number}\n\n{text(number, version)}\n")


def spread(chance: random.Random, documents: int) -> list[int]:
    """Any documents, 1 % of all."""
    return chance.sample(range(documents), documents // 100)


def whole_chapters(chance: random.Random, documents: int) -> list[int]:
    """All documents of 1 % of the chapters."""
    starts = chance.sample(range(0, documents, CHAPTER), max(1, documents // 100 // CHAPTER))
    return [number for start in starts for number in range(start, min(start + CHAPTER, documents))]


def single(chance: random.Random, documents: int) -> list[int]:
    """One document."""
    return [chance.randrange(documents)]


class Kind(NamedTuple):
    """A kind of source: what writes it, and which documents a round changes."""

    write: Callable[[Path, list[int]], None]
    changed: Callable[[random.Random, int], list[int]]


KINDS: dict[str, Kind] = {
    "markdown": Kind(write_markdown, spread), "jsonl": Kind(write_jsonl, spread),
    "chapters": Kind(write_chapters, whole_chapters), "book": Kind(write_book, whole_chapters),
    "archives": Kind(write_archives, single),
}


def processor_seconds() -> float:
    """Seconds of the processor that this process and those that it waited for have taken."""
    kinds = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in kinds)


def measure(
    kind: str, documents: int, rounds: int, jobs: int | None, folder: Path, clock: Callable[[], float]
) -> dict[str, float]:
    """Seconds of making the index, and medians of the rounds: with documents changed, and with nothing changed."""
    write, choose = KINDS[kind]
    source, index = folder / kind, folder / f"{kind}-index"
    versions = [0] * documents
    write(source, versions)
    started = clock()
    made = porism.index_sources([source], index, jobs=jobs)
    whole = clock() - started
    chance = random.Random(7)
    changed_seconds, same_seconds = [], []
    for turn in range(1, rounds + 1):
        changed = choose(chance, documents)
        for number in changed:
            versions[number] = turn
        write(source, versions)
        started = clock()
        report = porism.update_index(index, jobs=jobs)
        changed_seconds.append(clock() - started)
        assert (report.added, report.changed, report.removed) == (0, len(changed), 0), report
        started = clock()
        report = porism.update_index(index, jobs=jobs)
        same_seconds.append(clock() - started)
        assert report.documents == 0
    assert made.documents >= documents
    return {"whole": whole, "changed": statistics.median(changed_seconds), "same": statistics.median(same_seconds)}


def main() -> None:
    """Prints a line for each kind of source."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--wall", action="store_true", help="time by the clock")
    parser.add_argument("--kinds", default=",".join(KINDS))
    given = parser.parse_args()
    clock = time.perf_counter if given.wall else processor_seconds
    folder = Path(tempfile.mkdtemp(prefix="porism-update-"))
    try:
        for kind in given.kinds.split(","):
            found = measure(kind, given.documents, given.rounds, given.jobs, folder, clock)
            whole, changed, same = found["whole"], found["changed"], found["same"]
            print(
                f"{kind:<10} all {whole:7.1f} s   changed {changed:6.2f} s ({100 * changed / whole:.1f} %)   "
                f"nothing {same:6.2f} s ({100 * same / whole:.1f} %)", flush=True,
            )
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
