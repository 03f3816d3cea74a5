"""The units of notes, pages and LaTeX projects: theorem-like blocks with their proofs, and what is left of sections."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from urllib.parse import quote

from porism.analysis.document_languages import LANGUAGE
from porism.corpus.base import UnitId
from porism.corpus.latex.tables import UNPROVABLE
from porism.corpus.lines import located
from porism.errors import OnProblem, Problem
from porism.types import LINKS, Content, Document, Formula, Metadata

Parts = list[str | Formula]

MAX_PENDING = 256
"""So many units of one section wait for their proofs; then they are handed out."""

_BLANKS = re.compile(r"[ \t\u00a0]+")
_AROUND_NEWLINE = re.compile(r" ?\n ?")
_NEWLINES = re.compile(r"\n{3,}")
_BEFORE_PUNCTUATION = re.compile(r" +([,.;:?!)])(?=\s|$)")


@dataclass(slots=True)
class Unit:
    """What will be one document; ``anchor`` names it in its file where the format does, references use its ``labels``.

    The empty anchor is that of the whole file, and line 0 one that is not known. ``links`` are those of
    :data:`porism.types.LINKS`. ``language`` is the one that the
    source says it is in, empty where it says none.
    """

    kind: str
    file: str
    line: int
    section: tuple[Content, ...] = ()
    title: Content | None = None
    body: Parts = field(default_factory=list)
    proof: Parts = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    aliases: list[Content] = field(default_factory=list)
    number: int = 0
    anchor: str | None = None
    fragment: str = ""
    """The name by which an address leads to it, or to what is around it."""
    language: str = ""
    is_repeated: bool = False
    """Whether it was read before, so that it gives no document."""

    @property
    def provable(self) -> bool:
        """Whether a proof that follows can belong to it."""
        return self.kind.split()[-1] not in UNPROVABLE and self.kind not in ("section", "text", "abstract", "proof")


def tidy(parts: Parts, first_line: int = 1) -> Content:
    """The parts as content: runs of blanks are one space, blank lines separate paragraphs, the ends are bare.

    :param first_line: of the document, to which the lines of the content are relative.
    """
    return located(parts, _tidied, first_line)


def _tidied(text: str) -> str:
    text = _BLANKS.sub(" ", text)
    text = _AROUND_NEWLINE.sub("\n", text)
    text = _NEWLINES.sub("\n\n", text)
    return _BEFORE_PUNCTUATION.sub(r"\1", text).strip()


def _heading(unit: Unit) -> Content | None:
    """The heading above a unit, which is not its own name."""
    above = unit.section[:-1] if unit.section and unit.section[-1] == unit.title else unit.section
    return above[-1] if above else None


class UnitStore:
    """Numbers the units, gives them ids, joins proofs to theorems, and turns them into documents.

    :param source: the name of the collection, for the metadata.
    :param extra: metadata that every document gets.
    :param tags: label → tag, where the project keeps a table of them; a label may have the name of its file before it.
    :param url: the address of the file that they are from.
    """

    def __init__(
        self, source: str, on_problem: OnProblem, extra: Metadata | None = None, tags: Mapping[str, str] | None = None,
        *, url: str = "",
    ) -> None:
        self.source, self._url = source, url
        self._tags = tags or {}
        self.extra: Metadata = extra or {}
        self._on_problem = on_problem
        self._numbers: dict[str, Counter[str]] = {}
        self._names: dict[str, set[str]] = {}
        self._pending: list[Unit] = []

    def tag(self, tags: Iterable[str]) -> None:
        """Gives all documents these tags, beside those that they have."""
        given = self.extra.get("tags", ())
        unique = tuple(dict.fromkeys([*([given] if isinstance(given, str) else given), *tags]))
        if unique:
            self.extra = {**self.extra, "tags": unique}

    def number(self, unit: Unit) -> None:
        """Counts a unit that is not repeated among those of its kind in its file.

        It is called at its beginning, so that order is that of the text.
        """
        if unit.is_repeated:
            return
        numbers = self._numbers.setdefault(unit.file, Counter())
        numbers[unit.kind] += 1
        unit.number = numbers[unit.kind]

    @property
    def waits(self) -> bool:
        """Whether units wait to be handed out."""
        return bool(self._pending)

    def counted(self, file: str) -> tuple[dict[str, int], list[str]]:
        """How many units of each kind a file has had until now, and which names of units it has given; both sorted."""
        return dict(sorted(self._numbers.get(file, {}).items())), sorted(self._names.get(file, ()))

    def count_on(self, file: str, numbers: Mapping[str, int], names: Iterable[str]) -> None:
        """Goes on after so many units of a file, as :meth:`counted` gave them."""
        self._numbers[file], self._names[file] = Counter(numbers), set(names)

    def add(self, unit: Unit) -> None:
        """The unit is complete but for a proof that may follow."""
        self._pending.append(unit)

    def theorem_for(self, labels: list[str]) -> Unit | None:
        """The unit that a proof belongs to: the one it names, else the last that can have a proof and has none."""
        for unit in reversed(self._pending):
            if unit.provable and any(label in unit.labels for label in labels):
                return unit
        if labels:
            return None
        for unit in reversed(self._pending):
            if unit.provable:
                return None if unit.proof else unit
        return None

    @property
    def crowded(self) -> bool:
        """Whether so many units wait that they should be handed out before the section ends."""
        return len(self._pending) >= MAX_PENDING

    def flush(self) -> Iterator[Document]:
        """The documents of all units that wait."""
        pending, self._pending = self._pending, []
        for unit in pending:
            document = None if unit.is_repeated else self._document(unit)
            if document is not None:
                yield document

    def _document(self, unit: Unit) -> Document | None:
        fields: dict[str, Content] = {}
        body, proof = tidy(unit.body, unit.line), tidy(unit.proof, unit.line)
        if not body and not proof:
            return None
        if unit.title:
            fields["title"] = unit.title
        heading = _heading(unit)
        if heading:
            fields["section"] = heading
        if unit.labels:
            fields["labels"] = Content(" ".join(dict.fromkeys(unit.labels)))
        fields["body"] = body
        if proof:
            fields["proof"] = proof
        if unit.aliases:
            commas = (part for alias in dict.fromkeys(unit.aliases) for part in (", ", *alias.parts))
            fields["aliases"] = Content.of(*list(commas)[1:])
        for name in ("aliases", "tags"):
            values = self.extra.get(name)
            first = not self._names  # other names are those of the file: its first document's
            if values and (name == "tags" or first):
                fields[name] = Content(", ".join(values if isinstance(values, tuple) else (values,)))
        metadata: dict[str, str | tuple[str, ...]] = {
            "source": self.source, "type": unit.kind, "file": unit.file,
        }  # fmt: skip
        if unit.line:
            metadata["line"] = str(unit.line)
        metadata.update(self.extra)
        if self._url:
            metadata["url"] = f"{self._url}#{quote(unit.fragment)}" if unit.fragment else self._url
        if unit.language:
            metadata[LANGUAGE] = unit.language
        if unit.section:
            metadata["section"] = tuple(title.to_latex() for title in unit.section)
        if unit.labels:
            metadata["labels"] = tuple(dict.fromkeys(unit.labels))
            if tag := self._tag(unit):
                metadata["tag"] = tag
        if unit.links:
            metadata[LINKS] = tuple(unit.links)
        return Document(self._id(unit), fields, metadata)

    def _tag(self, unit: Unit) -> str | None:
        """The tag of the first label that has one."""
        stem = PurePosixPath(unit.file).stem
        names = (name for label in unit.labels for name in (f"{stem}-{label}", label))
        return next((self._tags[name] for name in names if name in self._tags), None)

    def _id(self, unit: Unit) -> UnitId:
        fallback = f"{unit.kind.replace(' ', '-')}-{unit.number}"
        wanted = unit.anchor if unit.anchor is not None else unit.labels[0] if unit.labels else fallback
        names = self._names.setdefault(unit.file, set())
        if wanted in names:
            where = f"{unit.file}:{unit.line}" if unit.line else unit.file
            self._on_problem(Problem(where, f"the label {unit.labels[0] if unit.labels else wanted} is used twice"))
            wanted = fallback
            while wanted in names:
                wanted += "'"
        names.add(wanted)
        return UnitId(unit.file, wanted)
