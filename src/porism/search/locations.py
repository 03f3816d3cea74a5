"""Where a document is: file and line, what it is there, the headings above it, the page it is on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import xxhash

from porism.corpus import split_math
from porism.index.sources import Source
from porism.search.marked_text import Value, show_content
from porism.search.printable import one_printable_line
from porism.system.files.names import real_name
from porism.types import Content, Metadata

_URL_KEYS = ("url", "link", "href")
_URL_SCHEMES = ("http://", "https://")
_MAX_HEADING_LENGTH = 60
_SAY_NOTHING = frozenset({"document", "section"})
"""Kinds that need no label, because a reader sees them."""


@dataclass(frozen=True, slots=True)
class Location(Value):
    """Where a document is, or a passage of it; whatever is not known is None, or empty.

    ``file`` is the path within the ``source`` (its name in the index) and ``path`` the same on this machine; ``line``
    counts from 1. ``kind`` is what the document is (``lemma``, ``answer``), and ``section`` the headings above it from
    the outermost. ``tag`` is its permanent tag in projects that have them, and ``url`` the address of its page.
    """

    source: str | None = None
    file: str | None = None
    line: int | None = None
    path: Path | None = None
    kind: str | None = None
    section: tuple[str, ...] = ()
    tag: str | None = None
    url: str | None = None

    def __post_init__(self) -> None:
        if self.url is not None and not self.url.startswith(_URL_SCHEMES):
            object.__setattr__(self, "url", None)

    @classmethod
    def of(cls, metadata: Metadata, sources: Callable[[], Mapping[str, Source]] | None = None) -> Location:
        """The location in a document's metadata; ``sources`` gives the sources of the index by name."""
        source, file = _first(metadata, "source"), _first(metadata, "file")
        line = _first(metadata, "line") or ""
        path = None
        if source is not None and file is not None and sources is not None and (known := sources().get(source)):
            path = _path_of(known, file)
        urls = (_first(metadata, key) for key in _URL_KEYS)
        return cls(
            source, file, int(line) if line.isdecimal() and line.isascii() and int(line) > 0 else None, path,
            _first(metadata, "type"),
            tuple(heading for heading in map(_shown_heading, _all(metadata, "section")) if heading),
            _first(metadata, "tag"),
            next((url for url in urls if url and url.startswith(_URL_SCHEMES)), None),
        )

    def at(self, content: Content, character: int) -> Location:
        """The location of a character of a field of the document; that of the document itself where its line is not
        known.
        """
        return self if self.line is None else replace(self, line=self.line + content.line_of(character))

    def place(self, with_source: bool = False) -> str:
        """``algebra.tex:3616``, empty where the file is not known."""
        if self.file is None:
            return ""
        file = f"{self.source}/{self.file}" if with_source and self.source not in (None, self.file) else self.file
        return file if self.line is None else f"{file}:{self.line}"

    def text(self, with_source: bool = False, title: str = "", longest: int | None = None) -> str:
        """One line: ``algebra.tex:3616 · Lemma · Quasi-finite maps › Main theorem · tag 00Q9``; empty where nothing is
        known that a reader would look up.

        :param with_source: whether the name of the source is shown before the file.
        :param title: the title shown beside it: a heading that says the same is left out.
        :param longest: of a longer line, outer headings are left out.
        """
        headings = list(self.section[:-1] if self.section and self.section[-1] == title else self.section)
        while True:
            line = self._line(headings, with_source)
            if longest is None or len(line) <= longest or len(headings) < 2 + (headings[:1] == ["…"]):
                return line
            headings = ["…", *headings[2 if headings[0] == "…" else 1 :]]

    def _line(self, headings: Sequence[str], with_source: bool) -> str:
        kind = self.kind.replace("-", " ").replace("_", " ") if self.kind and self.kind not in _SAY_NOTHING else ""
        parts = [
            self.place(with_source), kind[:1].upper() + kind[1:], " › ".join(map(_short, headings)),
            f"tag {self.tag}" if self.tag else "", self.url or "",
        ]
        return one_printable_line(" · ".join(part for part in parts if part))

    def __str__(self) -> str:
        return self.text()


def file_has_changed(location: Location, sources: Mapping[str, Source]) -> bool:
    """Whether a file is another than the one that was indexed, by its content where its size is the same.

    False where the index does not know, or the file cannot be read.
    """
    source = sources.get(location.source or "")
    known = source.files.get(real_name(location.file or "")) if source is not None else None
    if source is None or known is None or location.path != _path_of(source, location.file or ""):
        return False
    try:
        status = location.path.stat()
        if status.st_size != known.size:
            return True
        if known.mtime and status.st_mtime_ns == known.mtime:
            return False
        with location.path.open("rb") as file:
            digest = xxhash.xxh3_128()
            while chunk := file.read(1 << 20):
                digest.update(chunk)
    except OSError:
        return False
    return bool(known.digest) and digest.hexdigest() != known.digest


def _path_of(source: Source, file: str) -> Path:
    """Where a file of a source is on this machine."""
    file = real_name(file)
    is_file = source.path.name == file and not source.path.is_dir()
    return source.path if is_file else source.path / file


def _all(metadata: Metadata, key: str) -> tuple[str, ...]:
    value = metadata.get(key, ())
    return (value,) if isinstance(value, str) else tuple(value)


def _first(metadata: Metadata, key: str) -> str | None:
    return next(iter(_all(metadata, key)), None) or None


def _shown_heading(heading: str) -> str:
    return one_printable_line(show_content(split_math(heading), "unicode"))


def _short(heading: str) -> str:
    return heading if len(heading) <= _MAX_HEADING_LENGTH else f"{heading[: _MAX_HEADING_LENGTH - 1]}…"
