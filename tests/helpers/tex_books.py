"""Random LaTeX books of one main file and the chapters that it inputs, random edits, and reading them again."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from porism.corpus.base import ReaderOptions, UnitId, ignore_progress
from porism.corpus.groups import LazyRecord
from porism.corpus.latex.reader import LatexProject
from porism.errors import Problem
from porism.types import Document

NAMES = ("c0", "c1", "c2", "c3", "c4", "sub/d0", "sub/d1")
_LABELS = ("lem:a", "b", "c", "d")
_MACROS = ("\\own", "\\R", "\\thing")
_PLAIN = (
    "Some words about $x^2$.", "", "", "% a comment", "More words, \\own and $\\R^n$.",
    "\\begin{theorem}T $\\thing$\\end{theorem}", "\\begin{proof}By \\ref{b}, $\\own$.\\end{proof}",
    "\\begin{lemma}\\label{b} L\\end{lemma}", "\\section{A section}", "\\chapter{A chapter}",
    "\\section{With $\\R$}", "\\begin{remark}$1$\\end{remark}", "\\part{P}", "\\subsection{Deep}",
)  # fmt: skip
_STRANGE = (
    "\\begin{theorem}", "\\end{theorem}", "\\begin{proof}[Proof of \\ref{c}]", "\\end{proof}", "{", "}", "$", "\\[",
    "\\]", "\\verb|a", "\\verb", "\\begin{verbatim}", "\\begin{comment}", "\\end{comment}", "\\end{document}",
    "\\ifmine yes\\fi", "\\newif\\ifmine", "\\minetrue", "\\minefalse", "\\makeatletter", "\\makeatother", "\\own@",
    "\\title{A title}", "\\newenvironment{mine}{\\begin{theorem}}{\\end{theorem}}",
    "\\begin{mine}in mine\\end{mine}", "\\global", "\\newtheorem{fact}{Fact}", "\\newtheorem{fact}{Claim}",
    "\\begin{fact}\\label{d} F\\end{fact}", "\\usepackage{local}", "\\def\\loop{\\loop\\loop}", "\\loop",
    "\\def\\big#1{#1#1#1#1#1#1#1#1}", "\\big{\\big{\\big{\\big{word }}}}", "\\begin{abstract}About\\end{abstract}",
    "\\[ a \\label{c} \\]", "\\let\\own\\R", "\\footnote{", "\\item[", "\\iffalse", "\\section{\\own",
    "\\section A", "\\begin{proof}[Proof of \\ref{b}]P\\end{proof}", "\\url{a%b}", "\\label{lone}",
    "\\begin{frame}{A frame}", "\\begin{frame}", "\\end{frame}", "\\frametitle{A title\\footnote{n}}",
    "\\frame{\\frametitle{F} words}", "\\section{S\\label{d}\\footnote{note}}", "\\proclaim Lemma 1. Words.",
    "\\heading H \\endheading", "\\heading H", "\\proclaim{Lemma 2} words", "\\endproclaim", "\\only<2>{word}",
    "$\\xymatrix{A \\ar[r]^{f} & B}$", "\\begin{tikzcd} A \\ar[r, \"{f}\"] & B \\end{tikzcd}", "\\newdimen\\own",
    "$x \\raisebox{1pt}{$y$", "\\catcode`\\@=11 ", "\\renewcommand{\\sum}{\\tikz{x}}", "\\tikz \\draw (0,0);",
)  # fmt: skip


def piece(chance: random.Random, strange: float) -> str:
    """A line or so of LaTeX, which may be broken."""
    kind = chance.random()
    if kind < strange:
        return chance.choice(_STRANGE)
    if kind < strange + 0.06:
        define = chance.choice(("\\newcommand", "\\renewcommand", "\\def", "\\providecommand"))
        name, body = chance.choice(_MACROS), chance.choice(("\\mathbb{R}", "own", "Q", "\\R x"))
        return f"{define}{name}{{{body}}}" if define == "\\def" else f"{define}{{{name}}}{{{body}}}"
    if kind < strange + 0.12:
        return f"See \\ref{{{chance.choice(_LABELS)}}} and \\cref{{{chance.choice(_LABELS)}}}."
    if kind < strange + 0.2:
        unit, label = chance.choice(("theorem", "lemma", "definition")), chance.choice(_LABELS)
        return f"\\begin{{{unit}}}\\label{{{label}}} words {chance.randrange(3)}\\end{{{unit}}}"
    return chance.choice(_PLAIN)


def include(chance: random.Random) -> str:
    """A command that reads another file, or tries to."""
    name = chance.choice((*NAMES, *NAMES, "gone"))
    return chance.choice((
        f"\\input{{{name}}}", f"\\input{{{name}}}", f"\\input {name}.tex", f"\\include{{{name}}}",
        f"\\begin{{theorem}}before \\input{{{name}}} after\\end{{theorem}}", f"words \\input{{{name}}} words",
        f"\\input{{{name}}} \\input{{{chance.choice(NAMES)}}}", f"{{\\input{{{name}}}}}",
    ))  # fmt: skip


def new_book(chance: random.Random, strange: float) -> dict[str, list[str]]:
    """The lines of each file."""
    book = {}
    for name in NAMES:
        lines = [piece(chance, strange) for _ in range(chance.randrange(1, 7))]
        if chance.random() < 0.8:
            lines.insert(0, f"\\{chance.choice(('chapter', 'chapter', 'section'))}{{Heading {name}}}")
        if chance.random() < 0.3:
            lines.insert(chance.randrange(len(lines) + 1), include(chance))
        book[name] = lines
    body = [f"\\input{{{name}}}" for name in NAMES[:5]]
    if chance.random() < 0.5:
        body.insert(chance.randrange(6), chance.choice((include(chance), piece(chance, strange))))
    head = ["\\documentclass{book}", "\\usepackage{local}", "\\newcommand{\\R}{\\mathbb{R}}"]
    book["main"] = [*head, "\\begin{document}", *body, "\\end{document}"]
    book["local.sty"] = ["\\newcommand{\\thing}{t@}"]
    return book


def edit(book: dict[str, list[str]], chance: random.Random, strange: float) -> None:
    """Changes a line or a few, or an input, anywhere."""
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        lines = book[chance.choice((*NAMES, "main", "main", "local.sty"))]
        place = chance.randrange(len(lines) + 1)
        what = chance.random()
        if what < 0.35 and place < len(lines):
            del lines[place]
        elif what < 0.5 and len(lines) > 1:
            lines.insert(place, lines.pop(chance.randrange(len(lines))))
        elif what < 0.6:
            lines.insert(place, include(chance))
        else:
            lines.insert(place, piece(chance, strange))


def write_book(book: dict[str, list[str]], root: Path) -> None:
    """Writes all files."""
    for name, lines in book.items():
        path = root / (name if "." in name else f"{name}.tex")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


class Reading:
    """What a reading of a project gave: documents in order, problems and notes by group, and how many were not read."""

    def __init__(self, root: Path, last: Reading | None = None) -> None:
        self.documents: list[Document] = []
        self.problems: list[Problem] = []
        self.notes: dict[str, dict[str, Any]] = {}
        self.owners: dict[str, str] = {}
        self.unread = 0
        paths = sorted(root.rglob("*.tex"))
        for group in LatexProject(root, paths, ReaderOptions(), "book").groups():
            stored = {} if last is None else {
                document.id: document for document in last.documents if last.owners[document.id] == group.name
            }
            if last is not None and group.name in last.notes:
                def known(ids: Sequence[UnitId], stored: dict[str, Document] = stored) -> list[tuple[int, int]] | None:
                    return [(0, 0)] * len(ids) if all(doc_id in stored for doc_id in ids) else None

                group.recall(last.notes[group.name], known)
            for item in group.items(self.problems.append, ignore_progress):
                if isinstance(item, LazyRecord):
                    self.unread += 1
                    item = stored[item.id]
                self.documents.append(item)
                self.owners[item.id] = group.name
            self.notes[group.name] = {**group.note, "files": group.files, "digests": group.digests}


def difference(one: Reading, other: Reading) -> str:
    """What differs between two readings of the same files; empty where nothing does."""
    if one.documents != other.documents:
        return f"documents: {one.documents} and {other.documents}"
    if one.problems != other.problems:
        return f"problems: {one.problems} and {other.problems}"
    return "" if one.notes == other.notes else f"notes: {one.notes} and {other.notes}"
