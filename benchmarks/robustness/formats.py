"""How formats of documents are read: real chapters written in each, and read again; what is found of the originals.

::

    python -m benchmarks robustness formats --data ../shared/data
    python -m benchmarks robustness formats --data ../shared/data --only docx odt --show 10

Pandoc writes chapters of the Napkin, of Open Logic and of Dive into Deep Learning in each format; each file is read as
``porism index`` reads it. *Blocks* are theorem-like blocks of the original with a document of the same kind that begins
with the same words, *trees* are formulas of the original whose operator tree is among those of the file. Formats that
keep no formulas (rtf, man, fb2) have none to find. Memory is the largest that pandoc has taken until then.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common.spelling_table import tree_of
from porism.corpus import open_source
from porism.corpus.pandoc.preparing import Prepared
from porism.corpus.pandoc.program import DOCUMENTS
from porism.corpus.pandoc.reader import tree_documents
from porism.formula import parse_latex, parse_mathml
from porism.types import Document, Formula

CHAPTERS = (
    "napkin/tex/*/[a-m]*.tex", "projects/openlogic/content/sets-functions-relations/*/*.tex", "projects/d2l/*/*.md",
)
MIN_FORMULAS = 1
"""Chapters of which pandoc reads fewer formulas are passed over."""
KINDS = "theorem lemma proposition corollary definition example remark problem exercise question fact solution"
ENVIRONMENTS = {
    **{kind: kind for kind in KINDS.split()}, "ques": "question", "defn": "definition", "prop": "proposition",
    "thm": "theorem", "lem": "lemma", "cor": "corollary", "ex": "example", "prob": "problem", "sol": "solution",
}  # fmt: skip
"""Environments that are declared before a chapter, so that pandoc writes heads for them."""
_HEADS = "".join(f"\\newtheorem{{{name}}}{{{kind.capitalize()}}}\n" for name, kind in ENVIRONMENTS.items())
_WORDS = re.compile(r"[^\W\d_]{2,}")
_FIRST_WORDS = 4


class Conversion(NamedTuple):
    """How a chapter is written: the ending of its files, and what pandoc is called with."""

    ending: str
    options: tuple[str, ...]


CONVERSIONS: dict[str, Conversion] = {
    "docx": Conversion(".docx", ("--to", "docx")),
    "odt": Conversion(".odt", ("--to", "odt")),
    "epub": Conversion(".epub", ("--to", "epub3", "--mathml")),
    "html": Conversion(".html", ("--to", "html5", "--mathml")),
    "jats": Conversion(".nxml", ("--to", "jats")),
    "docbook": Conversion(".dbk", ("--to", "docbook5", "--mathml")),
    "mediawiki": Conversion(".mediawiki", ("--to", "mediawiki")),
    "dokuwiki": Conversion(".dokuwiki", ("--to", "dokuwiki")),
    "textile": Conversion(".textile", ("--to", "textile")),
    "asciidoc": Conversion(".adoc", ("--to", "asciidoc")),
    "org": Conversion(".org", ("--to", "org")),
    "opml": Conversion(".opml", ("--to", "opml")),
    "fb2": Conversion(".fb2", ("--to", "fb2")),
    "rtf": Conversion(".rtf", ("--to", "rtf")),
    "man": Conversion(".man", ("--to", "man")),
}


class Chapter(NamedTuple):
    """An original: its name, its tree as pandoc writes it, and the documents in it."""

    name: str
    tree: bytes
    documents: list[Document]


@dataclass
class FormatOutcome:
    """What was found again in one format."""

    files: int = 0
    bytes: int = 0
    seconds: float = 0.0
    blocks: Counter[str] = field(default_factory=Counter)
    trees: Counter[str] = field(default_factory=Counter)
    lost_blocks: list[str] = field(default_factory=list)
    lost_trees: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def add(self, chapter: Chapter, read: list[Document]) -> None:
        """Compares the documents of a file with those of its chapter."""
        for counter, lost, wanted, found in (
            (self.blocks, self.lost_blocks, block_names(chapter.documents), block_names(read)),
            (self.trees, self.lost_trees, formula_trees(chapter.documents), formula_trees(read)),
        ):
            counter["wanted"] += wanted.total()
            counter["found"] += (wanted & found).total()
            lost += [f"{chapter.name}: {name}" for name in wanted - found]

    def figures(self) -> dict[str, Any]:
        """The figures of the table."""
        return {
            "files": self.files, "blocks": self.blocks["wanted"], "found": _share(self.blocks),
            "formulas": self.trees["wanted"], "equal": _share(self.trees), "reports": len(self.problems),
            "s/MB": round(self.seconds / max(self.bytes / 1e6, 1e-9), 1), "s/file": round(self.seconds / self.files, 3),
        }  # fmt: skip


def _share(counter: Mapping[str, int]) -> float:
    return round(counter["found"] / max(counter["wanted"], 1), 4)


def block_names(documents: Iterable[Document]) -> Counter[str]:
    """Theorem-like documents by their kinds and first words."""
    return Counter(
        f"{document.metadata['type']}: {' '.join(_WORDS.findall(document.fields['body'].text)[:_FIRST_WORDS])}"
        for document in documents if document.metadata["type"] in ENVIRONMENTS
    )


def formula_trees(documents: Iterable[Document]) -> Counter[str]:
    """The operator trees of all formulas, each with its source."""
    return Counter(
        tree_of(parse_mathml(formula.source) if formula.notation == "mathml" else parse_latex(formula.source))
        for formula in formulas_of(documents)
    )


def formulas_of(documents: Iterable[Document]) -> list[Formula]:
    """The formulas in all fields but those that repeat others."""
    return [
        formula for document in documents for name, content in document.fields.items() if name != "section"
        for formula in content.formulas
    ]


def pandoc(*options: str, data: bytes) -> bytes | None:
    """What pandoc makes of some text, None where it fails or takes more than a minute."""
    program = DOCUMENTS.load("writing formats").get_pandoc_path()
    try:
        done = subprocess.run([program, *options], input=data, capture_output=True, timeout=60, check=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return None
    return done.stdout


def chapters(data: Path, most: int) -> list[Chapter]:
    """The first chapters of each source that pandoc reads."""
    macros = b""
    if (file := data / "napkin" / "tex" / "macros.tex").exists():
        macros = file.read_bytes()
    found: list[Chapter] = []
    for pattern in CHAPTERS:
        of_source: list[Chapter] = []
        for path in sorted(data.glob(pattern)):
            if len(of_source) == most:
                break
            text = path.read_bytes()
            if path.suffix == ".tex":
                tree = pandoc("--from", "latex", "--to", "json", data=_HEADS.encode() + macros + text)
            else:
                tree = pandoc("--from", "markdown+tex_math_dollars", "--to", "json", data=text)
            if tree is None:
                continue
            name = "-".join(path.parts[-2:])
            documents = list(tree_documents(json.loads(tree), Prepared(b""), name, "chapters", lambda problem: None))
            if len(formulas_of(documents)) >= MIN_FORMULAS:
                of_source.append(Chapter(name, tree, documents))
        found += of_source
    return found


def outcome(conversion: Conversion, originals: list[Chapter], folder: Path) -> FormatOutcome:
    """Writes the chapters in a format, and reads them again."""
    result = FormatOutcome()
    for chapter in originals:
        path = folder / f"{chapter.name}{conversion.ending}"
        options = ("--from", "json", "--standalone", "--metadata", "title=Chapter", *conversion.options)
        if pandoc(*options, "--output", str(path), data=chapter.tree) is None:
            continue
        start = time.perf_counter()
        read = list(open_source(path, on_problem=lambda problem: result.problems.append(str(problem))))
        result.seconds += time.perf_counter() - start
        result.files += 1
        result.bytes += path.stat().st_size
        result.add(chapter, read)
    return result


def main() -> int:
    """Parses arguments, and prints a line for each format."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks robustness formats", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with napkin, projects/openlogic, projects/d2l")
    parser.add_argument("--only", nargs="+", choices=CONVERSIONS, default=list(CONVERSIONS), help="these formats")
    parser.add_argument("--chapters", type=int, default=12, help="of each source, so many")
    parser.add_argument("--show", type=int, default=0, help="so many of what is lost are printed")
    arguments = parser.parse_args()
    originals = chapters(arguments.data, arguments.chapters)
    print(f"{len(originals)} chapters")
    for number, name in enumerate(arguments.only):
        with tempfile.TemporaryDirectory() as folder:
            result = outcome(CONVERSIONS[name], originals, Path(folder))
        if not result.files:
            print(f"{name:12}is not written by this pandoc")
            continue
        figures = result.figures()
        if not number:
            print(f"{'':12}", *(f"{title:>10}" for title in figures), f"{'memory MB':>10}")
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"{name:12}", *(
            f"{value:>10.2%}" if title in ("found", "equal") else f"{value:>10,}" for title, value in figures.items()
        ), f"{memory:>10,.0f}", flush=True)  # fmt: skip
        for lines in (result.lost_blocks, result.lost_trees, result.problems):
            print(*(f"    {line[:200]}\n" for line in lines[: arguments.show]), sep="", end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
