"""Reading every file of an index and comparing it with what was written; making again what can be made."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from porism.analysis.tokenizers.tokenizer import TokenizerReference
from porism.errors import ConfigError, IndexCorrupt, IndexVersionError, PorismError
from porism.index import Snapshot
from porism.index.container import Container, Stamp
from porism.index.derived import DERIVED_FOLDER
from porism.index.manifest import (
    LOCK_FILE,
    MANIFEST_FILE,
    SEGMENT_FOLDER,
    Manifest,
    SegmentEntry,
    read_manifest,
    read_tombstones,
)
from porism.index.segment import DATA_FILE
from porism.retrieve.lexical.similarity_matrix import SimilarityMatrix
from porism.search.artifacts import read_record
from porism.search.models.vectors import missing_vectors
from porism.search.models.wings import rebuild_similarities
from porism.search.sources.indexing import prepare_for_searches
from porism.system.compiled.kernel_cache import read_kernel
from porism.system.compiled.warmup import compiled_files
from porism.system.files.artifacts import (
    EMBEDDINGS,
    ENCODERS,
    FORMULA_ENCODERS,
    MODELS,
    SIMILARITIES,
    SPARSE,
    TOKENIZERS,
    TOKENS,
    ArtifactKind,
)
from porism.system.files.lock import WriterLock

DERIVED = "derived data"
KERNELS = "compiled kernels"
_ORIGINAL = "Restore it from a copy, or index the sources again."
_MAKE_AGAIN = "Make it again: porism check --repair."
_ATTEMPTS = 20

_AGAIN: Mapping[ArtifactKind, str] = MappingProxyType({
    EMBEDDINGS: "Train them again: porism train.",
    MODELS: f"Train it again: {MODELS.make}.",
    ENCODERS: "Remove it, and encode again: porism encode MODEL --name {name}.",
    FORMULA_ENCODERS: "Remove it, and encode again: porism encode MODEL --name {name}.",
    SPARSE: "Encode again: porism encode MODEL --name {name}.",
    TOKENS: "Encode the documents again: porism encode.",
    SIMILARITIES: "Build it again: porism check --repair, or porism similarities {name}.",
})
"""Kind of artifact → what to do about a damaged one."""

OnBytes = Callable[[int, int], None]
_Read = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Damage:
    """A file that is not as it was written: ``what`` is wrong, ``hint`` helps.

    ``file`` is relative to the index; that of a compiled kernel, which all indexes share, is absolute.
    """

    kind: str
    file: str
    what: str
    hint: str

    def __str__(self) -> str:
        return f"{self.file}: {self.what}. {self.hint}"


@dataclass(frozen=True, slots=True)
class CheckedFiles:
    """The files of one kind: how many there are, their bytes, and how many are damaged."""

    kind: str
    files: int
    size: int
    damaged: int


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What :func:`check_index` found: all files by kind, those that are damaged now, and those that it has repaired."""

    path: Path
    files: tuple[CheckedFiles, ...]
    damages: tuple[Damage, ...]
    repaired: tuple[Damage, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether every file is as it was written."""
        return not self.damages

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready mapping."""
        return {**asdict(self), "path": str(self.path), "sound": self.sound}


@dataclass(frozen=True, slots=True)
class _Task:
    """A file to read; ``check`` raises an exception where it is damaged, and calls its argument with bytes read."""

    kind: str
    path: Path
    check: Callable[[_Read], object]
    hint: str = _ORIGINAL

    @property
    def size(self) -> int:
        try:
            return os.stat(self.path).st_size
        except FileNotFoundError:
            return 0


def check_index(
    path: str | os.PathLike[str], *, repair: bool = False, on_bytes: OnBytes = lambda done, total: None
) -> CheckReport:
    """Reads every file of an index, and every compiled kernel of this user, and compares it with its checksums.

    With ``repair`` what was computed from other files is computed again: derived data that are damaged or missing, and
    damaged similarity matrices whose settings can be read. Damaged kernels are removed, and compiled when needed. An
    index that lacks derived data is sound, because searches compute them in memory; but it is slower. ``on_bytes`` is
    called with bytes read and bytes in all.

    :raises IndexNotFound: there is no index.
    :raises IndexVersionError: it was written in a format that this version does not read.
    :raises IndexUnreadable: the system does not let us read a file.
    :raises IndexLocked: another process writes to the index, which is to be repaired.
    :raises StorageError: what was made again cannot be written.
    """
    folder = Path(path)
    for _ in range(_ATTEMPTS):
        try:
            manifest = read_manifest(folder)
        except IndexCorrupt as error:
            broken = Damage("manifest", MANIFEST_FILE, error.what, _ORIGINAL)
            size = os.path.getsize(folder / MANIFEST_FILE)
            return CheckReport(folder, (CheckedFiles("manifest", 1, size, 1),), (broken,))
        report = _check(folder, manifest, on_bytes)
        if report.sound or read_manifest(folder).generation == manifest.generation:
            break  # else a writer has committed meanwhile, and removed files that were looked for
    if not repair:
        return report
    before = _derived_files(folder)
    _repair(folder, report.damages)
    new = sorted(_derived_files(folder) - before - {damage.file for damage in report.damages})
    if report.sound and not new:
        return report
    after = _check(folder, read_manifest(folder), on_bytes)
    left = {damage.file for damage in after.damages}
    damages = [*report.damages, *(Damage(DERIVED, name, "is missing", _MAKE_AGAIN) for name in new)]
    return CheckReport(
        folder, after.files, after.damages, tuple(damage for damage in damages if damage.file not in left)
    )


def _check(folder: Path, manifest: Manifest, on_bytes: OnBytes) -> CheckReport:
    tasks = list(_tasks(folder, manifest))
    total = sum(task.size for task in tasks)
    done = 0
    damages: list[Damage] = []
    counts: dict[str, list[int]] = {}
    for task in tasks:

        def read(count: int, start: int = done, most: int = task.size) -> None:
            nonlocal done
            done = min(done + count, start + most)
            on_bytes(done, total)

        count = counts.setdefault(task.kind, [0, 0, 0])
        count[0] += 1
        count[1] += task.size
        end = done + task.size
        try:
            task.check(read)
        except FileNotFoundError:
            damages.append(Damage(task.kind, _name(folder, task.path), "is missing", task.hint))
            count[2] += 1
        except (IndexCorrupt, IndexVersionError, ConfigError) as error:
            damages.append(Damage(task.kind, _name(folder, task.path), error.what, task.hint))
            count[2] += 1
        done = end
        on_bytes(done, total)
    files = tuple(CheckedFiles(kind, *numbers) for kind, numbers in counts.items())
    return CheckReport(folder, files, tuple(damages))


def _derived_files(folder: Path) -> set[str]:
    return {_name(folder, file) for file in (folder / SEGMENT_FOLDER).glob(f"*/{DERIVED_FOLDER}/*.bin")}


def _name(folder: Path, file: Path) -> str:
    return (file.relative_to(folder) if file.is_relative_to(folder) else file).as_posix()


def _tasks(folder: Path, manifest: Manifest) -> Iterator[_Task]:
    yield _Task("manifest", folder / MANIFEST_FILE, lambda read: read_manifest(folder))
    if manifest.sources:
        yield _container("sources", folder / manifest.sources.file, "sources", manifest.sources.stamp)
    for entry in manifest.segments:
        place = folder / SEGMENT_FOLDER / entry.name
        yield _container("segments", place / DATA_FILE, "segment", entry.stamp)
        if entry.tombstones:
            yield _Task("deletions", place / entry.tombstones.file, partial(_check_deletions, place, entry))
        for file in sorted((place / DERIVED_FOLDER).glob("*.bin")):
            yield _derived(file, entry)
        for lacking in missing_vectors(place, entry.stamp):
            yield _derived(lacking, entry)
    for name, tokenizer in (manifest.config.get("tokenizers") or {}).items():
        reference = TokenizerReference(name, tokenizer["kind"], tokenizer["digest"], str(TOKENIZERS.path(folder, name)))
        yield _Task(
            "tokenizers", TOKENIZERS.path(folder, name), partial(_check_tokenizer, reference),
            "Put the file back, or index the sources again.",
        )
    for kind, again in _AGAIN.items():
        for file in kind.files(folder):
            yield _Task(kind.folder, file, partial(_check_artifact, kind, file), again.format(name=kind.name_of(file)))
    for file in compiled_files():
        yield _Task(KERNELS, file, partial(_check_kernel, file), "It is compiled again when it is needed.")


def _container(kind: str, path: Path, holds: str, stamp: Stamp) -> _Task:
    return _Task(kind, path, lambda read: Container(path, holds, stamp).verify(read))


def _derived(path: Path, entry: SegmentEntry) -> _Task:
    def check(read: _Read) -> None:
        derived = Container(path, "derived")
        if derived.info.get("segment") != list(entry.stamp):
            raise IndexCorrupt("was made of another segment")
        derived.verify(read)

    return _Task(DERIVED, path, check, _MAKE_AGAIN)


def _check_deletions(place: Path, entry: SegmentEntry, read: _Read) -> None:
    read_tombstones(place, entry)
    if entry.tombstones:
        Container(place / entry.tombstones.file, "tombstones").verify(read)


def _check_tokenizer(reference: TokenizerReference, read: _Read) -> None:
    reference.check()


def _check_artifact(kind: ArtifactKind, path: Path, read: _Read) -> None:
    if kind.suffix == ".json":
        read_record(kind, path)
        return
    container = Container(path, "similarities" if kind is SIMILARITIES else None)
    container.verify(read)
    if kind is SIMILARITIES:
        SimilarityMatrix(container)


def _check_kernel(path: Path, read: _Read) -> None:
    read_kernel(path)


def _repair(folder: Path, damages: tuple[Damage, ...]) -> None:
    """Makes again what can be; what cannot is left as it is."""
    lock = WriterLock(folder / LOCK_FILE)
    try:
        for damage in damages:
            if damage.kind in (DERIVED, KERNELS):
                (folder / damage.file).unlink(missing_ok=True)
        with suppress(IndexCorrupt), Snapshot.open(folder) as snapshot:  # what it is made of can be damaged too
            prepare_for_searches(snapshot.segments, on_problem=None)
    finally:
        lock.release()
    for damage in damages:
        if damage.kind == SIMILARITIES.folder:
            with suppress(PorismError):  # settings or embeddings can be damaged too: the report says so
                settings = Container(folder / damage.file, "similarities").info["settings"]
                name = Path(damage.file).stem
                rebuild_similarities(folder, name, settings)
