"""Mizar: articles and their abstracts. Items have the numbers that other articles cite them by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from porism.corpus.formal.declarations import FormalDeclaration
from porism.corpus.formal.documents import FormalDocuments, Prose
from porism.corpus.formal.reader import FormalReader
from porism.corpus.formal.source import SourceText, with_text_before
from porism.corpus.mathtext import split_math
from porism.errors import OnProblem
from porism.types import Content

MAX_BEFORE = 4_000
"""So far before a definition is what is assumed for it looked for."""
DEFINITIONS = ("func", "pred", "attr", "mode", "struct")
SYNONYMS = ("synonym", "antonym")
_BLOCKS = ("definition", "registration", "notation")

_ITEM = re.compile(
    r"(?<![\w-])(?P<kind>theorem|scheme|canceled|cluster|identify|reduce"
    rf"|{'|'.join((*DEFINITIONS, *SYNONYMS, *_BLOCKS))})(?![\w-])"
)
_LET = re.compile(r"(?<![\w-])(?:let|assume)(?![\w-])[^;]*;")
_PROOF = re.compile(r"(?<![\w-])(?:proof|by|from|(?P<end>coherence|existence|uniqueness|correctness|compatibility|"
                    r"consistency|reducibility|projectivity|involutiveness|commutativity|idempotence|symmetry|"
                    r"reflexivity|irreflexivity|connectedness|asymmetry|sethood|abstractness))(?![\w-])|;")
_DEFINIENS = re.compile(r"(?<![\w-])(?:means|equals)(?![\w-])")
_NUMBER = re.compile(r"::\s*(?P<name>[A-Z_0-9]+:(?:(?:def|sch)\s+)?\d+)")
_LABEL = re.compile(r"\s*:?(?P<label>[\w']+):(?!=)")
_SCHEME = re.compile(r"\s*(?P<label>[\w']+)")
_COUNT = re.compile(r"\s*(\d+)")
_WORD = re.compile(r"[^\W\d][\w'-]*")
_ARTICLE = re.compile(r"(?<![\w-])environ(?![\w-])")
_TITLE = re.compile(r"::[ \t]*(?P<title>[^\n]*\S)[ \t]*\n")


class _MizarSource(SourceText):
    token = re.compile(r"::[^\n]*")
    comment_marks = ("::",)

    def _end(self, start: int, end: int, token: str) -> int:
        if self.begins_line(start) and _NUMBER.match(token) is None:
            self.add_comment(start, end, len(token) - len(token.lstrip(":")))
        return end


class MizarDocuments(FormalDocuments):
    """The documents of an article or its abstract.

    An abstract says the numbers of its items; in an article they are counted.
    """

    types = MappingProxyType({
        **dict.fromkeys((*DEFINITIONS, "scheme"), "definition"), "scheme": "theorem",
        **dict.fromkeys(("cluster", "identify", "reduce"), "instance"), **dict.fromkeys(SYNONYMS, "notation"),
    })  # fmt: skip

    def items(self) -> Iterator[FormalDeclaration | Prose]:
        source = self.source
        title = _TITLE.match(source.text, 1)
        if title is not None:
            yield Prose(title.start("title"), title["title"], 1)
        environ = _ARTICLE.search(source.bare)
        matches = list(_ITEM.finditer(source.bare, environ.end() if environ is not None else 0))
        counts = dict.fromkeys(("theorem", "def", "sch"), 0)
        block = 0  # where the block begins that the next items are in
        ends = [*(match.start() for match in matches[1:]), len(source.bare)]
        for match, end in zip(matches, ends, strict=False):
            kind, place = match["kind"], match.end()
            if kind in _BLOCKS:
                block = place
            elif kind == "canceled":
                number = _COUNT.match(source.bare, place)
                counts["theorem"] += int(number.group(1)[:6]) if number is not None else 1
            elif not self._is_inside_proof(match.start()):
                yield self._declaration(match, end, 0 if kind in ("theorem", "scheme") else block, counts)

    def _is_inside_proof(self, place: int) -> bool:
        """Whether something else on the line precedes what would be an item."""
        before = self.source.bare[max(0, place - 100) : place].rpartition("\n")[2].rstrip()
        return bool(before) and before[-1:] != ";" and before.split()[-1] not in ("redefine", *_BLOCKS, "begin")

    def _declaration(
        self, match: re.Match[str], limit: int, block: int, counts: dict[str, int]
    ) -> FormalDeclaration:
        source, kind, place = self.source, match["kind"], match.end()
        label = (_SCHEME if kind == "scheme" else _LABEL).match(source.bare, place)
        start = label.end() if label is not None and kind == "theorem" else place
        end = self._end(start, limit, kind)
        line = source.line(match.start("kind"))
        name = self._numbered(kind, place, end, counts)
        names = [label["label"]] if kind == "scheme" and label is not None else []
        if kind in (*DEFINITIONS, *SYNONYMS):
            names = _symbols(source.bare[place:end], kind)
            name = name or next(iter(names), "")
        statement, lines = source.stretch(start, end, line)
        if block:
            block = max(block, match.start() - MAX_BEFORE)
            lets = " ".join(" ".join(let.group().split()) for let in _LET.finditer(source.code, block, match.start()))
            statement, lines = with_text_before(lets, statement, lines)
        return FormalDeclaration(
            name, kind, match.start(), line, statement, lines, source.docstring_before(match.start(), 1),
            names=[other for other in names if other != name],
        )  # fmt: skip

    def _end(self, place: int, limit: int, kind: str) -> int:
        """Where a statement ends, before its proof or what else must be shown."""
        for match in _PROOF.finditer(self.source.bare, place, limit):
            if match["end"] is None or kind not in ("theorem", "scheme"):
                return match.start()
        return limit

    def _numbered(self, kind: str, place: int, end: int, counts: dict[str, int]) -> str:
        """The name of an item; it has none where it has no number."""
        source = self.source
        if kind not in ("theorem", "scheme") and (
            kind not in DEFINITIONS or _DEFINIENS.search(source.bare, place, end) is None
        ):
            return ""
        counted = {"theorem": "theorem", "scheme": "sch"}.get(kind, "def")
        counts[counted] += 1
        written = _NUMBER.search(source.text, place, max(end, source.text.find("\n", place) + 1))
        prefix = "" if counted == "theorem" else f"{counted} "
        if written is not None and written["name"].startswith(f"{self.module}:"):
            return " ".join(written["name"].split())
        return f"{self.module}:{prefix}{counts[counted]}"

    def text_content(self, text: str, line: int) -> Content:
        return split_math(text, where=f"{self.name}:{line}")


def _symbols(pattern: str, kind: str) -> list[str]:
    """The words that a definition gives a meaning to."""
    if kind == "attr":
        pattern = pattern.partition(" is ")[2]
    head = _DEFINIENS.split(pattern.partition("->")[0].partition(";")[0])[0]
    if kind in ("mode", "struct"):
        head = head.partition(" is ")[0]
    return [word for word in dict.fromkeys(_WORD.findall(head)) if len(word) > 1 and word not in _FILL][:3]


_FILL = frozenset(("is", "means", "equals", "being", "of", "for", "the", "set", "IT", "it", "let"))


class MizarReader(FormalReader):
    """Reads articles of Mizar and their abstracts."""

    name = "mizar"
    document = "a theorem, scheme, definition, or registration"
    extensions = (".abs", ".miz")
    signs = _ARTICLE

    def file_documents(
        self, text: str, path: Path, name: str, source: str, on_problem: OnProblem
    ) -> FormalDocuments:
        module = PurePosixPath(name).stem.upper()
        return MizarDocuments(_MizarSource(text), name, source, module, on_problem)
