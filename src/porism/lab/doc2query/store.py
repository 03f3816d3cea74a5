"""The file of expansions: JSON lines that are only ever appended to.

The first line says which model wrote the queries and how; the others are ``{"id": …, "digest": …, "queries": […]}``
with the digest of the text that was expanded. A document that was expanded again has several lines; the last one holds.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import xxhash

from porism.analysis.documents import clean_text
from porism.errors import ConfigError, FormatError, SourceError
from porism.lab.doc2query.settings import ExpansionSettings
from porism.settings import read_settings, write_settings
from porism.system.concurrency.interrupts import uninterrupted
from porism.system.files.durable import sync_file, sync_folder
from porism.system.files.lock import try_lock

_VERSION = 1
_AGAIN = "Name another file, or delete this one to expand everything again."


@dataclass(frozen=True, slots=True)
class DocumentExpansion:
    """The queries of one document and the digest of the text that they were written for."""

    id: str
    digest: str
    queries: tuple[str, ...]


def text_digest(text: str) -> str:
    """What identifies a text in a file of expansions: xxh3-128 in hexadecimal digits."""
    return xxhash.xxh3_128_hexdigest(text.encode("utf-8", "surrogatepass"))


class ExpansionFile(AbstractContextManager["ExpansionFile"]):
    """A file of expansions, read by document: only ids and places are held in memory.

    ``model`` and ``settings`` are what the queries were generated with. A last line without its end does not count: its
    writer was killed.

    :raises SourceError: the file is missing or unreadable.
    :raises FormatError: it is not a file of expansions, or a line of it is broken.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._places: dict[str, tuple[int, int]] = {}
        try:
            self._file = open(self.path, "rb")  # noqa: SIM115  # held to read lines from; closed with the object
        except OSError as error:
            raise SourceError(f"cannot be read ({error.strerror or error})", where=str(path)) from error
        self.model, self.settings = self._header(self._file.readline())
        self.end = self._file.tell()
        for number, line in enumerate(self._file, 2):
            if not line.endswith(b"\n"):
                break
            record = self._record(line, number)
            self._places[record.id] = (self.end, number)
            self.end += len(line)

    def __repr__(self) -> str:
        return f"ExpansionFile({str(self.path)!r}, {len(self):,} documents, {self.model})"

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self._places

    @property
    def ids(self) -> list[str]:
        """The documents that it has queries of, in the order of their first lines."""
        return list(self._places)

    def get(self, doc_id: str) -> DocumentExpansion | None:
        """The queries of a document, None where it has none."""
        place = self._places.get(doc_id)
        if place is None:
            return None
        self._file.seek(place[0])
        return self._record(self._file.readline(), place[1])

    def close(self) -> None:
        """Lets go of the file."""
        self._file.close()

    def __exit__(self, *error: object) -> None:
        self.close()

    def _header(self, line: bytes) -> tuple[str, ExpansionSettings]:
        try:
            value = orjson.loads(line)
            version, model = value["expansions"], value["model"]
            if version != _VERSION or not isinstance(model, str):
                raise KeyError("expansions")
            return model, read_settings(ExpansionSettings, value["settings"], at=("settings",))
        except (orjson.JSONDecodeError, KeyError, TypeError, ConfigError) as error:
            self._file.close()
            raise FormatError(
                "the first line is not that of a file of expansions", where=f"{self.path.name}:1",
                hint="Files are written by porism expand --output FILE.",
            ) from error

    def _record(self, line: bytes, number: int) -> DocumentExpansion:
        try:
            value = orjson.loads(line)
            doc_id, digest, queries = value["id"], value["digest"], value["queries"]
            if not all(isinstance(text, str) for text in (doc_id, digest, *queries)):
                raise TypeError("other values than strings")
        except (orjson.JSONDecodeError, KeyError, TypeError) as error:
            raise FormatError(
                f"not a document with its queries ({error})", where=f"{self.path.name}:{number}",
                hint="Delete the line, and expand again what it held.",
            ) from error
        return DocumentExpansion(doc_id, digest, tuple(queries))


class ExpansionWriter(AbstractContextManager["ExpansionWriter"]):
    """Appends to a file of expansions, which is made where it is not there; each :meth:`add` is written whole.

    ``known`` are the expansions that were there before. The file is locked until :meth:`close`, and until the process
    ends at the latest.

    :raises ConfigError: the file was made by another model or with other settings.
    :raises SourceError: it cannot be written, or another process is writing to it.
    :raises FormatError: it is another file.
    """

    def __init__(self, path: str | os.PathLike[str], model: str, settings: ExpansionSettings) -> None:
        self.path = Path(path)
        self.known: ExpansionFile | None = None
        header = {"expansions": _VERSION, "model": model, "settings": write_settings(settings)}
        try:
            self._file = open(self.path, "ab", buffering=0)  # noqa: SIM115
            try:
                self._begin(header, model, settings)
            except BaseException:
                self.close()
                raise
        except OSError as error:
            raise SourceError(f"cannot be written ({error.strerror or error})", where=str(path)) from error

    def _begin(self, header: Mapping[str, Any], model: str, settings: ExpansionSettings) -> None:
        """Locks the file, before anything in it is read or taken away, and makes it end with a whole line."""
        if not try_lock(self._file):
            raise SourceError(
                "another process is writing to this file", where=str(self.path),
                hint="Wait until it is done, or name another file.",
            )
        if self._has_header():
            self.known = ExpansionFile(self.path)
            self._check(model, settings)
            self._file.truncate(self.known.end)
        else:
            self._file.truncate(0)
            self._append([header])
            sync_folder(self.path.absolute().parent)

    def _has_header(self) -> bool:
        """Whether the first line is whole; of a writer that was killed before, nothing else is there."""
        with open(self.path, "rb") as file:
            first = file.readline()
        if first and not first.endswith(b"\n") and not b'{"expansions":'.startswith(first[:14]):
            raise FormatError("is another file, and is left as it is", where=str(self.path), hint=_AGAIN)
        return first.endswith(b"\n")

    def _check(self, model: str, settings: ExpansionSettings) -> None:
        assert self.known is not None
        before, now = write_settings(self.known.settings), write_settings(settings)
        differing = [name for name in now if before[name] != now[name]]
        if self.known.model != model:
            other = f"the model {self.known.model}"
        elif differing:
            other = f"other settings of {', '.join(differing)}"
        else:
            return
        raise ConfigError(f"was written with {other}", where=str(self.path), hint=_AGAIN)

    def add(self, expansions: Sequence[DocumentExpansion]) -> None:
        """Appends the queries of documents; they are in the file, durably, when this returns, or none of them is.

        :raises SourceError: the disk is full or the file cannot be written.
        """
        lines = [{"id": made.id, "digest": made.digest, "queries": list(made.queries)} for made in expansions]
        try:
            self._append(lines)
        except OSError as error:
            raise SourceError(f"cannot be written ({error.strerror or error})", where=str(self.path)) from error

    def _append(self, lines: Sequence[Mapping[str, Any]]) -> None:
        data = b"".join(_dump(line) for line in lines)
        with uninterrupted():
            end = self._file.seek(0, os.SEEK_END)
            try:
                while data:
                    data = data[self._file.write(data) or 0 :]
                sync_file(self._file.fileno())
            except OSError:
                self._file.truncate(end)
                raise

    def close(self) -> None:
        """Closes the file."""
        self._file.close()
        if self.known is not None:
            self.known.close()

    def __exit__(self, *error: object) -> None:
        self.close()


def _dump(value: Mapping[str, Any]) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except (TypeError, orjson.JSONEncodeError):  # lone surrogates, which UTF-8 cannot carry
        queries = [clean_text(query) for query in value["queries"]]
        cleaned = {**value, "id": clean_text(value["id"]), "queries": queries}
        return orjson.dumps(cleaned, option=orjson.OPT_APPEND_NEWLINE)
