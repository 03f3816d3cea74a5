"""Pairs of statements: one and those that its proof cites, by a file or the metadata, or by labels in its text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from porism.analysis.model_text import ModelText
from porism.errors import ConfigError, FormatError, SourceError
from porism.lab.train.pairs.base import Miner, Pair, fields_text, values
from porism.types import Document, Documents

NOT_THE_STATEMENT = ("proof", "labels", "comments", "tags", "section")
"""Fields that are not part of a statement."""


@dataclass(frozen=True, slots=True)
class Citations(Miner):
    """A statement and each statement that it cites.

    ``file`` has a link a line: two ids, or four columns of relevance judgments, of which those with a gain of 1 or more
    count. ``key`` is a key of the metadata whose values are ids. ``fields`` are what is read of a document; if none is
    named, all but its proof, labels, comments, tags and section.

    :raises ConfigError: neither a file nor a key is given.
    """

    name: ClassVar[str] = "citations"
    files: ClassVar[tuple[str, ...]] = ("file",)

    file: str = ""
    key: str = ""
    fields: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.file and not self.key:
            raise ConfigError(
                "citations are in a file or in the metadata", hint="Give file=LINKS.tsv, or key=NAME of the metadata."
            )

    def mine(self, documents: Documents, text: ModelText) -> Iterator[Pair]:
        """Leaves out links to or from what the collection does not have, and of a statement to itself.

        :raises SourceError: the file cannot be read.
        :raises FormatError: a line of it is broken.
        """
        links: dict[str, list[str]] = {}
        for citing, cited in read_links(Path(self.file)) if self.file else ():
            links.setdefault(citing, []).append(cited)
        wanted = {*links, *(cited for some in links.values() for cited in some)}
        known: dict[str, str] = {}
        for document in documents:
            cites = values(document, self.key) if self.key else ()
            if cites:
                links.setdefault(document.id, []).extend(cites)
                wanted.update(cites)
            if document.id in wanted or self.key:
                known[document.id] = statement_text(document, text, self.fields)
        joined = 0
        for citing, some in links.items():
            for cited in dict.fromkeys(some):
                if citing != cited and known.get(citing) and known.get(cited):
                    joined += 1
                    yield Pair(known[citing], known[cited], miner=self.name, anchor_id=citing, positive_id=cited)
        if not joined:
            where = self.file or f"the metadata {self.key!r}"
            raise ConfigError(f"no link joins two documents of the collection ({where})", hint="Compare the ids.")

    @staticmethod
    def document_text(document: Document, text: ModelText) -> str:
        return statement_text(document, text)


def statement_text(document: Document, text: ModelText, names: tuple[str, ...] = ()) -> str:
    """A document without what is not part of its statement."""
    return fields_text(document, names or tuple(n for n in document.fields if n not in NOT_THE_STATEMENT), text)


def read_links(path: Path) -> Iterator[tuple[str, str]]:
    """The links of a file: lines of two ids, or of four columns (id, anything, id, gain).

    :raises SourceError: it cannot be read.
    :raises FormatError: a line has another form.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SourceError(f"the links cannot be read ({reason})", where=str(path)) from error
    for number, line in enumerate(lines, start=1):
        cells = line.split("\t") if "\t" in line else line.split()
        if not line.strip():
            continue
        if len(cells) == 2:
            yield cells[0].strip(), cells[1].strip()
        elif len(cells) == 4 and cells[3].strip().lstrip("-").isdecimal():
            if int(cells[3]) >= 1:
                yield cells[0].strip(), cells[2].strip()
        else:
            raise FormatError(
                f"a line of {len(cells)} columns is not a link", where=f"{path}:{number}",
                hint="Expected two ids, or the four columns of relevance judgments.",
            )


_REFERENCE = re.compile(r"\[([^\[\]\s]+)\]")
"""How readers of LaTeX write a reference: the label in brackets."""


@dataclass(frozen=True, slots=True)
class References(Miner):
    """A statement and each statement whose label its text or proof refers to, as readers of LaTeX keep them."""

    name: ClassVar[str] = "references"

    def mine(self, documents: Documents, text: ModelText) -> Iterator[Pair]:
        owner: dict[str, str] = {}
        refers: dict[str, list[str]] = {}
        for document in documents:
            for label in values(document, "labels"):
                owner.setdefault(label, document.id)
            fields = (content.text for name, content in document.fields.items() if name != "labels")
            references = [label for written in fields for label in _REFERENCE.findall(written)]
            if references:
                refers[document.id] = references
        links = [
            (citing, cited)
            for citing, labels in refers.items()
            for cited in dict.fromkeys(owner[label] for label in labels if label in owner)
            if citing != cited
        ]
        if not links:
            raise ConfigError(
                "no document refers to another one by its label", hint="Such labels are in sources of LaTeX."
            )
        ids = list(dict.fromkeys(doc_id for link in links for doc_id in link))
        texts = {document.id: self.document_text(document, text) for document in documents.get(ids)}
        for citing, cited in links:
            if texts[citing] and texts[cited]:
                yield Pair(texts[citing], texts[cited], miner=self.name, anchor_id=citing, positive_id=cited)

    @staticmethod
    def document_text(document: Document, text: ModelText) -> str:
        return statement_text(document, text)
