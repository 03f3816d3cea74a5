"""The results of the last search of an index, so that ``porism open 3`` knows which document that was.

They are kept for each user in the folder for such state: one small file for each index or set of indexes, and one that
names the indexes searched last. A file that cannot be read or written does not count: a search must not fail for it.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import orjson
import xxhash

from porism.cli.options import is_address

Indexes = Path | Sequence[Path | str]
"""The folder of an index; or those of several, and addresses of servers."""


@dataclass(frozen=True, slots=True)
class LastSearch:
    """A question and the ids of its results, best first; by id the pages of results on a server, and the lines of the
    passages that were shown."""

    question: str
    ids: tuple[str, ...]
    pages: Mapping[str, str] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)


def state_folder() -> Path:
    """Where Porism keeps what it remembers for a user: ``$XDG_STATE_HOME/porism``, or what the system has instead."""
    if given := os.environ.get("XDG_STATE_HOME"):
        return Path(given) / "porism"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "porism"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "porism"
    return Path.home() / ".local" / "state" / "porism"


def _names(indexes: Indexes) -> list[str]:
    """Folders with their whole paths, and addresses."""
    several = [indexes] if isinstance(indexes, Path) else indexes
    return [os.fspath(index.resolve()) if isinstance(index, Path) else index for index in several]


def _file(indexes: Indexes) -> Path:
    name = xxhash.xxh3_64_hexdigest(b"\0".join(map(os.fsencode, _names(indexes))))
    return state_folder() / "searches" / f"{name}.json"


def remember_search(
    indexes: Indexes, question: str, ids: Sequence[str], pages: Mapping[str, str] | None = None,
    lines: Mapping[str, int | None] | None = None,
) -> None:
    """Keeps the results of a search, in place of the last search's; does nothing if that is impossible."""
    with contextlib.suppress(OSError, RuntimeError, orjson.JSONEncodeError):  # RuntimeError: the user has no home
        named = {"indexes": _names(indexes)}
        known = {doc_id: line for doc_id, line in (lines or {}).items() if line is not None}
        value = {"question": question, "ids": list(ids), "pages": dict(pages or {}), "lines": known}
        _write(_file(indexes), named | value)
        _write(_latest(), named)


def _latest() -> Path:
    """The file that says which indexes were searched last."""
    return state_folder() / "last-search.json"


def _write(file: Path, value: object) -> None:
    """Replaces a file, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, written = tempfile.mkstemp(dir=file.parent, prefix=file.stem)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(orjson.dumps(value))
        os.replace(written, file)
    except OSError:
        os.unlink(written)
        raise


def last_indexes() -> tuple[Path | str, ...]:
    """The indexes that were searched last, none where no search is remembered."""
    try:
        named = orjson.loads(_latest().read_bytes())["indexes"]
        return tuple(name if is_address(name) else Path(str(name)) for name in named)
    except (OSError, RuntimeError, ValueError, KeyError, TypeError):
        return ()


def recall_search(indexes: Indexes) -> LastSearch | None:
    """The results of the last search of an index, or of several together, None where there are none."""
    try:
        value = orjson.loads(_file(indexes).read_bytes())
        pages = {str(doc_id): str(page) for doc_id, page in value["pages"].items()}
        lines = {str(doc_id): int(line) for doc_id, line in value.get("lines", {}).items()}
        return LastSearch(str(value["question"]), tuple(map(str, value["ids"])), pages, lines)
    except (OSError, RuntimeError, ValueError, KeyError, TypeError, AttributeError):
        return None
