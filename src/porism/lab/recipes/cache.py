"""What stages made, kept by the digest of all that it was made from.

::

    cache/
        lock                    one process at a time
        made/KIND/KEY/          entry.json and the files of one stage's output; appears whole or not at all
        topics/KEY.jsonl        answers of one pipeline to single topics: grows while they are found
        trials/KEY.jsonl        what tuning tried, the same way
        placed/                 digests of what was put into the folders of indexes that are not of the cache
        unfinished/             what was being made when a process ended

An entry counts only if its files are as they were written, by their digests; one that is damaged is taken for missing.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from porism.errors import IndexLocked, OnProblem, Problem, StorageError
from porism.lab.recipes.digests import digest, file_digest
from porism.runs.provenance import record_path
from porism.system.files.durable import remove_tree
from porism.system.files.lock import WriterLock
from porism.system.files.text import write_whole

ENTRY = "entry.json"
_FORMAT = 1
_TEMPORARY = "part-"
_README = "What `porism experiment` made, kept by content. It can be deleted; it is made again then.\n"


class CacheLocked(StorageError):
    """Another process runs experiments with this cache."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns failures of the file system while writing into :class:`StorageError`; what was finished before stays."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        raise StorageError(
            f"cannot be written ({error.strerror or error})", where=str(error.filename or path),
            hint="Free some space; the same command continues from here." if full
            else "Name another folder, or make this one writable.",
        ) from error


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """The output of a stage: a folder of files, what is known of it, and the seconds that it took to make."""

    folder: Path
    about: Mapping[str, Any]
    seconds: float

    def file(self, name: str) -> Path:
        """The path of a file of the output."""
        return self.folder / name


class Cache:
    """A folder of entries by kind and key."""

    def __init__(self, folder: Path, on_problem: OnProblem | None = None, *, fresh: bool = False) -> None:
        """``fresh`` takes no notice of what was there before."""
        self.folder = folder
        self.fresh = fresh
        self._on_problem = on_problem
        self._sound: set[tuple[str, str]] = set()
        self._begun: set[Path] = set()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps other processes from writing here, and clears away what an earlier one left half-made.

        :raises CacheLocked: another process does so already.
        :raises StorageError: the folder cannot be written.
        """
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            if not (self.folder / "README").exists():
                (self.folder / "README").write_text(_README, encoding="utf-8")
        try:
            lock = WriterLock(self.folder / "lock")
        except IndexLocked as error:
            who = error.what.partition(" is writing")[0]
            raise CacheLocked(
                f"{who} runs experiments with this cache", where=str(self.folder),
                hint="Wait until it is done, or name another folder with --cache.",
            ) from error
        try:
            for left in (self.folder / "unfinished").glob(f"{_TEMPORARY}*"):
                remove_tree(left)
            yield
        finally:
            lock.release()

    def path(self, kind: str, key: str) -> Path:
        """Where an entry lies, if there is one."""
        return self.folder / "made" / kind / key

    def find(self, kind: str, key: str) -> CacheEntry | None:
        """The entry of a stage, if it is there and sound; one that is damaged is reported, and is not an entry.

        Digests of its files are compared once by each process.
        """
        folder = self.path(kind, key)
        if self.fresh and (kind, key) not in self._sound:
            return None
        try:
            value = orjson.loads((folder / ENTRY).read_bytes())
        except FileNotFoundError:
            if folder.is_dir():
                self._tell(kind, key, f"{ENTRY} is missing")
            return None
        except (OSError, orjson.JSONDecodeError) as error:
            self._tell(kind, key, f"{ENTRY} cannot be read ({error})")
            return None
        reason = _damage(folder, key, value, (kind, key) not in self._sound)
        if reason:
            self._tell(kind, key, reason)
            return None
        self._sound.add((kind, key))
        return CacheEntry(folder, value["about"], value["seconds"])

    @contextmanager
    def making(self, kind: str, key: str) -> Iterator[Path]:
        """A new folder for what is being made; it is removed at the end unless :meth:`keep` took it."""
        folder = self.folder / "unfinished" / f"{_TEMPORARY}{kind}-{key}"
        with writing(folder):
            remove_tree(folder)
            folder.mkdir(parents=True)
        try:
            yield folder
        finally:
            remove_tree(folder)

    @contextmanager
    def unfinished(self, kind: str, key: str) -> Iterator[Path]:
        """A folder for what can be completed by a later start; it stays until :meth:`keep` takes it."""
        folder = self.folder / "unfinished" / f"{kind}-{key}"
        with writing(folder):
            if self.fresh:
                remove_tree(folder)
            folder.mkdir(parents=True, exist_ok=True)
        yield folder

    def keep(self, kind: str, key: str, made: Path, about: Mapping[str, Any], seconds: float) -> CacheEntry:
        """Makes a folder of files the entry of a stage, in one step.

        :param about: plain values for JSON, to be found with the entry.
        :raises StorageError: the disk is full or the folder cannot be written.
        """
        target = self.path(kind, key)
        with writing(target):
            value: dict[str, Any] = {
                "format": _FORMAT, "kind": kind, "key": key, "about": about, "seconds": round(seconds, 3),
                "files": _digests(made),
            }
            value["digest"] = digest(value)
            (made / ENTRY).write_bytes(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.exists():  # damaged, or --fresh
                old = self.folder / "unfinished" / f"{_TEMPORARY}old-{kind}-{key}"
                old.parent.mkdir(parents=True, exist_ok=True)
                remove_tree(old)
                os.replace(target, old)
                remove_tree(old)
            os.replace(made, target)
        self._sound.add((kind, key))
        return CacheEntry(target, orjson.loads(orjson.dumps(value["about"])), value["seconds"])

    def growing(self, kind: str, key: str) -> Path:
        """The file ``KIND/KEY.jsonl`` that grows while something is made."""
        path = self.folder / kind / f"{key}.jsonl"
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            if self.fresh and path not in self._begun:
                path.unlink(missing_ok=True)
            self._begun.add(path)
        return path

    def _tell(self, kind: str, key: str, message: str) -> None:
        if self._on_problem:
            self._on_problem(Problem(f"cache entry {kind}/{key}", f"{message}; it is made again"))


def _digests(folder: Path) -> dict[str, list[Any]]:
    """File → size and digest, of all files below a folder but the entry's own."""
    return {
        file.relative_to(folder).as_posix(): [file.stat().st_size, file_digest(file)]
        for file in sorted(folder.rglob("*")) if file.is_file() and file != folder / ENTRY
    }


def _damage(folder: Path, key: str, value: Any, with_contents: bool) -> str:
    """What is wrong with an entry; empty if nothing is."""
    if not isinstance(value, dict) or value.get("format") != _FORMAT:
        return f"{ENTRY} is of another version, or damaged"
    stated = value.pop("digest", None)
    if stated != digest(value) or value["key"] != key:
        return f"{ENTRY} is damaged"
    for name, (size, file_content) in value["files"].items():
        file = folder / name
        try:
            if file.stat().st_size != size or (with_contents and file_digest(file) != file_content):
                return f"{name} is not as it was written"
        except OSError:
            return f"{name} is missing"
    return ""


def copy_run(source: Path, target: Path) -> Path:
    """Copies a run with its record."""
    copy_file(record_path(source), record_path(target))
    return copy_file(source, target)


def copy_files(source: Path, target: Path, pattern: str = "*") -> Path:
    """Copies the files below a folder whose names fit a pattern, but for the cache's own."""
    for file in sorted(source.rglob(pattern)):
        if file.is_file() and file.name != ENTRY:
            copy_file(file, target / file.relative_to(source))
    return target


def copy_file(source: Path, target: Path) -> Path:
    """Copies a file; one that is there with the same bytes stays, and so do its dates."""
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        content = source.read_bytes()
        if target.is_file() and target.stat().st_size == len(content) and target.read_bytes() == content:
            return target
    return write_whole(target, content)
