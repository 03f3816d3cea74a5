"""The results of the last search of an index, so that ``porism open 3`` knows which document that was.

They are kept for each user in the folder for such state: one small file an index, and one that names the index that was
searched last. A file that cannot be written or read
is none: a search must not fail for it.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson
import xxhash


@dataclass(frozen=True, slots=True)
class LastSearch:
    """A question and the ids of the documents that were found, best first."""

    question: str
    ids: tuple[str, ...]


def state_folder() -> Path:
    """Where Porism keeps what it remembers for a user: ``$XDG_STATE_HOME/porism``, or what the system has instead."""
    if given := os.environ.get("XDG_STATE_HOME"):
        return Path(given) / "porism"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "porism"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "porism"
    return Path.home() / ".local" / "state" / "porism"


def _file(index_path: Path) -> Path:
    name = xxhash.xxh3_64_hexdigest(os.fsencode(index_path.resolve()))
    return state_folder() / "searches" / f"{name}.json"


def remember_search(index_path: Path, question: str, ids: Sequence[str]) -> None:
    """Keeps the results of a search in place of the last one's; does nothing where that is impossible."""
    index = os.fspath(index_path.resolve())
    with contextlib.suppress(OSError, RuntimeError, orjson.JSONEncodeError):  # RuntimeError: the user has no home
        _write(_file(index_path), {"index": index, "question": question, "ids": list(ids)})
        _write(_latest(), {"index": index})


def _latest() -> Path:
    """The file that says which index was searched last."""
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


def last_index() -> Path | None:
    """The index that was searched last, None where no search is remembered."""
    try:
        return Path(str(orjson.loads(_latest().read_bytes())["index"]))
    except (OSError, RuntimeError, ValueError, KeyError, TypeError):
        return None


def recall_search(index_path: Path) -> LastSearch | None:
    """The results of the last search of an index, None where there are none."""
    try:
        value = orjson.loads(_file(index_path).read_bytes())
        return LastSearch(str(value["question"]), tuple(map(str, value["ids"])))
    except (OSError, RuntimeError, ValueError, KeyError, TypeError):
        return None
