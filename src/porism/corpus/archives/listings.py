"""What listings beside archives say of the papers of arXiv in them.

A listing is a JSON file of any name beside the archives or in a folder above them: lines, an array or one object, as
arXiv's own snapshot has them or as programs that ask its interface write them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import xxhash

from porism.corpus.archives.arxiv import Paper, listed_paper, named_paper
from porism.corpus.base import ReaderOptions, ignore_problem
from porism.corpus.streams import ByteProgress, first_bytes, open_seekable
from porism.corpus.tables.json_records import json_records
from porism.corpus.tables.reader import JsonlReader
from porism.corpus.text_files import read_bytes
from porism.errors import PorismError

MAX_LISTING_BYTES = 64 << 20
"""A listing that is one object has at most so many bytes; lines and arrays have no limit."""

_SNIFFED = 8192
_HINT = re.compile(rb'"(?:categories|abstract|summary|primary_category)"\s*:')
_ENDINGS = (*JsonlReader.extensions, *(f"{ending}.gz" for ending in JsonlReader.extensions))


class ListedPaper(NamedTuple):
    """A paper, and whether its record is a row of a table, whose abstract is a document of its own."""

    paper: Paper
    is_row: bool


class PaperListings:
    """The papers that archives of a source have; listings are read when they are first needed.

    :param root: the folder of the source.
    :param archives: in it; records of other papers are passed over.
    """

    def __init__(self, root: Path, archives: Iterable[Path], options: ReaderOptions) -> None:
        self._root, self._options = root, options
        self._wanted = {paper.id for path in archives if (paper := named_paper(path.name)) is not None}
        self._files: dict[Path, list[Path]] = {}
        self._states: dict[Path, str] = {}
        self._papers: dict[Path, dict[str, ListedPaper]] = {}

    def state(self, archive: Path) -> str:
        """A digest of the names, sizes and times of the listings for an archive, empty where there are none."""
        return " ".join(filter(None, map(self._state_of, self._folders(archive))))

    def _state_of(self, folder: Path) -> str:
        if folder not in self._states:
            states = [
                (file.name, status.st_size, status.st_mtime_ns)
                for file in self._listings(folder) for status in [file.stat()]
            ]
            self._states[folder] = xxhash.xxh3_64_hexdigest(repr(states).encode()) if states else ""
        return self._states[folder]

    def digest(self, archive: Path) -> str:
        """A digest of what is known of the paper of an archive."""
        return xxhash.xxh3_64_hexdigest(repr(self.paper(archive)).encode("utf-8", "surrogatepass"))

    def paper(self, archive: Path) -> ListedPaper | None:
        """The paper that an archive is named after; without a listing its id and version are known."""
        named = named_paper(archive.name)
        if named is None:
            return None
        for folder in self._folders(archive):
            if folder not in self._papers:
                self._papers[folder] = {listed.paper.id: listed for listed in self._read(folder)}
            if (listed := self._papers[folder].get(named.id)) is not None:
                return listed._replace(paper=replace(listed.paper, version=named.version or listed.paper.version))
        return ListedPaper(named, is_row=True)

    def _folders(self, archive: Path) -> list[Path]:
        """The folders that may have listings for an archive, the nearest first."""
        if named_paper(archive.name) is None:
            return []
        return [folder for folder in archive.parents if folder.is_relative_to(self._root)]

    def _listings(self, folder: Path) -> list[Path]:
        if folder not in self._files:
            self._files[folder] = [
                file for file in sorted(folder.iterdir())
                if file.name.lower().endswith(_ENDINGS) and file.is_file() and _HINT.search(first_bytes(file, _SNIFFED))
            ]
        return self._files[folder]

    def _read(self, folder: Path) -> Iterator[ListedPaper]:
        for file in self._listings(folder):
            is_table = JsonlReader().detect(file)
            for values in self._rows(file) if is_table else _objects(file):
                paper = listed_paper(values)
                if paper is not None and paper.id in self._wanted:
                    yield ListedPaper(paper, is_table)

    def _rows(self, path: Path) -> Iterator[Mapping[str, Any]]:
        """The records of a table; what is wrong with it is reported where it is read as a table."""
        try:
            with open_seekable(path, ignore_problem, self._options.encoding, self._options.max_unpacked) as file:
                for record in json_records(file, path, self._options, ignore_problem, ByteProgress(None, 0)):
                    yield record.values
        except PorismError:
            return


def _objects(path: Path) -> Iterator[Mapping[str, Any]]:
    """The object that a file is, and those that are its values, by their keys where these are ids."""
    try:
        values = orjson.loads(read_bytes(path, path.name, ignore_problem, MAX_LISTING_BYTES) or b"{}")
    except orjson.JSONDecodeError:
        return
    if not isinstance(values, Mapping):
        return
    yield values
    for key, value in values.items():
        for entry in value if isinstance(value, list) else [value]:
            if isinstance(entry, Mapping):
                yield {"id": key, **entry}
