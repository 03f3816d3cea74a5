"""The entries of BibTeX and BibLaTeX: strings, preambles, cross references; time is linear in the length of the text.

An entry that breaks off ends where a line begins the next one, so that a lost brace costs one entry.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from porism.corpus.base import ignore_problem
from porism.errors import OnProblem, Problem

MAX_VALUE_LENGTH = 1 << 20
"""Of longer values, the beginning is read."""
MAX_INHERITED = 10
"""So many entries may inherit from each other in a row."""

_START = re.compile(r"@[ \t]*([A-Za-z]+)\s*([{(])")
_LINE_START = re.compile(r"^[ \t]*(?=@[ \t]*[A-Za-z]+\s*[{(])", re.MULTILINE)
_KEY = re.compile(r"\s*([^\s,={}()\"#%]*)(?=\s*[,})]|\s+[^\s=]+\s*=)")
_NAME = re.compile(r"[\s,]*([^\s,={}()\"#%]+)\s*=\s*")
_WORD = re.compile(r"[^\s,={}()\"#%]+")
_JOINED = re.compile(r"\s*#\s*")
_BLANKS = re.compile(r"[\s,]*")
_BRACES = re.compile(r"[{}]")
_UNESCAPED_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)
_QUOTES = re.compile(r'[{}"]')
_PARENTS = ("crossref", "xdata")
_PARENT_KEY = re.compile(r"[cCxX](?:ross[rR]ef|ROSSREF|data|DATA)\s*=\s*[{\"]\s*([^{}\"\n]{1,500})[}\"]")
_INHERITED_NAMES = {"title": "booktitle", "subtitle": "booksubtitle"}
"""What a field of a collection is called in an entry that is a part of it."""
_NOT_INHERITED = frozenset((*_PARENTS, "keywords", "file", "abstract", "note", "shorttitle", "label", "ids"))


class BibEntry(NamedTuple):
    """An entry as it is written: values without their outer braces, names of fields in small letters."""

    kind: str
    key: str
    line: int
    fields: Mapping[str, str]


class Bibliography:
    """The entries of a text.

    :param name: of the file, in what is reported.
    """

    def __init__(self, text: str, name: str, on_problem: OnProblem) -> None:
        self._text, self._name, self._on_problem = text, name, on_problem
        self._starts = [match.end() for match in _LINE_START.finditer(text)]
        self.preamble: list[str] = []
        """What LaTeX is to read before the entries, as far as they were read."""
        wanted = {key.strip() for keys in _PARENT_KEY.findall(text) for key in keys.split(",")}
        parents = (entry for entry in self._read(ignore_problem) if entry.key in wanted) if wanted else ()
        self._parents = {entry.key: entry for entry in parents}
        self.preamble.clear()

    def entries(self) -> Iterator[BibEntry]:
        """Yields the entries in their order, with what they inherit."""
        for entry in self._read(self._on_problem):
            yield self._with_inherited(entry)

    def _with_inherited(self, entry: BibEntry) -> BibEntry:
        fields = dict(entry.fields)
        waiting = [(entry, 0)]
        seen = {entry.key}
        while waiting:
            heir, depth = waiting.pop()
            for relation in _PARENTS:
                for key in heir.fields.get(relation, "").split(","):
                    parent = self._parents.get(key.strip())
                    if parent is None or parent.key in seen or depth == MAX_INHERITED:
                        if key.strip() and parent is None:
                            problem = f"the entry {key.strip()!r} that it inherits from is not there"
                            self._on_problem(Problem(f"{self._name}:{entry.line}", problem))
                        continue
                    seen.add(parent.key)
                    waiting.append((parent, depth + 1))
                    for name, value in parent.fields.items():
                        if relation == "xdata" or name not in _NOT_INHERITED:
                            own = name if relation == "xdata" else _INHERITED_NAMES.get(name, name)
                            fields.setdefault(own, value)
        return entry._replace(fields=fields)

    def _read(self, on_problem: OnProblem) -> Iterator[BibEntry]:
        macros: dict[str, str] = {}
        text = self._text
        position, line, counted = 0, 1, 0
        while (match := _START.search(text, position)) is not None:
            line += text.count("\n", counted, match.start())
            counted = match.start()
            kind = match.group(1).lower()
            number = bisect_right(self._starts, match.start())
            limit = self._starts[number] if number < len(self._starts) else len(text)
            if kind == "comment":
                end = text.find(")", match.end(), limit)
                if match.group(2) == "{":
                    end = _EntryReader(text, match.end(), limit, macros, _BRACES).braces(match.end())[1]
                position = max(end, match.end())
                continue
            closer = ")" if match.group(2) == "(" else "}"
            for braces in (_BRACES, _UNESCAPED_BRACES):
                reader = _EntryReader(text, match.end(), limit, macros, braces)
                key, fields = "", {}
                if kind == "preamble":
                    fields = {kind: reader.value()}
                elif kind == "string":
                    fields = reader.fields()
                else:
                    key, fields = reader.key(), reader.fields()
                if ended := reader.at_end(closer):
                    break
            position = max(reader.position, match.end())
            if not ended:
                problem = f"the entry @{kind} breaks off or has no end; what could be read of it is kept"
                on_problem(Problem(f"{self._name}:{line}", problem))
            if kind == "preamble":
                self.preamble += fields.values()
            elif kind == "string":
                macros.update(fields)
            else:
                yield BibEntry(kind, key, line, fields)


class _EntryReader:
    """Reads what is between the braces of an entry.

    :param marks: which braces count: for BibTeX also those with backslashes, for other programs not.
    """

    def __init__(self, text: str, start: int, limit: int, macros: Mapping[str, str], marks: re.Pattern[str]) -> None:
        self._text, self.position, self._limit, self._macros, self._marks = text, start, limit, macros, marks

    def key(self) -> str:
        """The key of the entry, empty where it has none."""
        match = _KEY.match(self._text, self.position, self._limit)
        if match is None:
            return ""
        self.position = match.end()
        return match.group(1)

    def at_end(self, closer: str) -> bool:
        """Goes behind the end of the entry; False where it is not here."""
        blanks = _BLANKS.match(self._text, self.position, self._limit)
        self.position = blanks.end() if blanks else self.position
        if self.position < self._limit and self._text[self.position] == closer:
            self.position += 1
            return True
        return False

    def fields(self) -> dict[str, str]:
        """The fields that follow: of a name that is there twice, the first value, and all keywords."""
        fields: dict[str, str] = {}
        while (name := _NAME.match(self._text, self.position, self._limit)) is not None:
            self.position = name.end()
            key, value = name.group(1).lower(), self.value()
            if key == "keywords" and key in fields:
                fields[key] += f", {value}"
            elif value:
                fields.setdefault(key, value)
        return fields

    def value(self) -> str:
        """The value that follows, pieces joined by ``#``."""
        pieces: list[str] = []
        blanks = _BLANKS.match(self._text, self.position, self._limit)
        self.position = blanks.end() if blanks else self.position
        while True:
            start = self.position
            first = self._text[start : start + 1] if start < self._limit else ""
            if first == "{":
                piece, end = self.braces(start + 1)
            elif first == '"':
                piece, end = self._quoted(start + 1)
            elif (word := _WORD.match(self._text, start, self._limit)) is not None:
                piece, end = self._macros.get(word.group().lower(), word.group()), word.end() - 1
            else:
                break
            self.position = min(end + 1, self._limit)
            pieces.append(piece[:MAX_VALUE_LENGTH])
            joined = _JOINED.match(self._text, self.position, self._limit)
            if joined is None:
                break
            self.position = joined.end()
        return "".join(pieces)[:MAX_VALUE_LENGTH]

    def braces(self, start: int) -> tuple[str, int]:
        """What is between braces, and where they are closed; where they are not, all to the end of the entry."""
        depth = 1
        for match in self._marks.finditer(self._text, start, self._limit):
            depth += {"{": 1, "}": -1}.get(match.group(), 0)
            if not depth:
                return self._text[start : match.start()], match.start()
        return self._text[start : self._limit].rstrip(), self._limit

    def _quoted(self, start: int) -> tuple[str, int]:
        depth = 0
        for match in _QUOTES.finditer(self._text, start, self._limit):
            if match.group() == '"' and depth <= 0:
                return self._text[start : match.start()], match.start()
            depth += {"{": 1, "}": -1}.get(match.group(), 0)
        return self._text[start : self._limit].rstrip(), self._limit
