"""What the folder and the disk can do to an index: locks, full disks, folders that cannot be written, damage."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import orjson
import pytest
from index_cases import Doc, batch_of, read_all
from long_forms import LONG_ONLY

from porism.errors import ConfigError, IndexCorrupt, IndexLocked, IndexNotFound, IndexVersionError, StorageError
from porism.index import IndexWriter, Snapshot, container, info, manifest
from porism.system.files import durable

OLD = [Doc(f"d{number}", {"body": ["old", f"w{number}"]}) for number in range(4)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An index with four documents, in one commit."""
    folder = tmp_path / "index"
    with IndexWriter(folder, config={"stemmer": "english"}) as writer:
        writer.add(batch_of(OLD))
    return folder


def test_one_writer_at_a_time(path: Path) -> None:
    with IndexWriter(path):
        with pytest.raises(IndexLocked, match=f"process {os.getpid()} is writing to this index"):
            IndexWriter(path)
        assert Snapshot.open(path).doc_count == 4
    IndexWriter(path).close()


def test_the_lock_names_the_other_process_and_ends_with_it(path: Path) -> None:
    code = "import sys; from porism.index import IndexWriter; w = IndexWriter(sys.argv[1]); print('in'); input()"
    holder = subprocess.Popen(
        [sys.executable, "-uc", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"in\n"
    with pytest.raises(IndexLocked, match=f"process {holder.pid} is writing"):
        IndexWriter(path)
    holder.kill()
    holder.communicate()
    IndexWriter(path).close()


FULL_DISK = """
import resource, sys
from index_cases import Doc, batch_of, read_all
from porism.index import IndexWriter, Snapshot

path = sys.argv[1]
words = [f"{number * 7919}" for number in range(20_000)]
with IndexWriter(path) as writer:
    writer.add(batch_of([Doc("d1", {"body": ["new"]}), Doc("e", {"body": words})]))
    free, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for limit in (0, 20, 500, 3_000, 20_000):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
        try:
            writer.commit()
        except Exception as error:
            print(type(error).__name__, error, sorted(read_all(Snapshot.open(path))))
        resource.setrlimit(resource.RLIMIT_FSIZE, (free, hard))
"""


@LONG_ONLY
@pytest.mark.skipif(os.name == "nt", reason="needs limits of POSIX: run it on Linux or macOS")
def test_a_full_disk(path: Path) -> None:
    """A limit on the size of files stands in for a full disk: writing fails half-way, at several places."""
    folders = [str(Path(__file__).parent), *filter(None, sys.path)]
    result = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path)], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
    )
    lines = result.stdout.splitlines()
    assert len(lines) == 5
    for line in lines:
        assert line.startswith("StorageError")
        assert "File too large" in line
        assert "Free some space and run again; the last committed state of the index is intact" in line
        assert line.endswith("['d0', 'd1', 'd2', 'd3']")
    # With room again the same commit succeeded at the end: nothing that was added is lost.
    snapshot = Snapshot.open(path)
    snapshot.verify()
    documents = read_all(snapshot)
    assert sorted(documents) == ["d0", "d1", "d2", "d3", "e"]
    assert documents["d1"].words == {"body": ["new"]}


def test_no_room_to_merge_is_no_reason_not_to_commit(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with IndexWriter(path) as writer:
        writer.add(batch_of([Doc(f"e{number}", {}) for number in range(4)]))
        writer.commit()
        writer.delete([f"e{number}" for number in range(3)])
        import porism.index.writer as module

        def full(*_: object) -> None:
            with durable.storage_errors(path):
                raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(module, "write_segment", full)
        writer.commit()
        assert Snapshot.open(path).doc_count == 5
        with pytest.raises(StorageError, match="No space left"):
            writer.merge()
        monkeypatch.undo()
        writer.merge()
    assert [segment.doc_count for segment in Snapshot.open(path).segments] == [5]


@contextmanager
def without_rights(folder: Path) -> Iterator[None]:
    """Runs the block where ``folder`` cannot be written; root, whom no mode stops, becomes another user for it."""
    root = os.name != "nt" and os.geteuid() == 0
    folders = [Path(parent) for parent, _, _ in os.walk(folder)]
    for each in folders:
        each.chmod(0o555)
    above = [parent for parent in folder.parents if not parent.stat().st_mode & 0o001]
    modes = {parent: parent.stat().st_mode for parent in above}
    try:
        if root:
            for parent in above:
                parent.chmod(0o755)
            os.seteuid(65_534)
        yield
    finally:
        if root:
            os.seteuid(0)
        for each in folders:
            each.chmod(0o755)
        for parent, mode in modes.items():
            parent.chmod(mode)


@pytest.mark.skipif(os.name == "nt", reason="needs modes of POSIX: run it on Linux or macOS")
def test_a_read_only_folder_can_be_read_but_not_written(path: Path) -> None:
    (path / "write.lock").chmod(0o444)
    with without_rights(path):
        with pytest.raises(StorageError, match=r"Permission denied.*Writing needs a folder that this user may change"):
            IndexWriter(path)
        with pytest.raises(StorageError, match="Permission denied"):
            IndexWriter(path / "new")
        snapshot = Snapshot.open(path)
        assert sorted(read_all(snapshot)) == ["d0", "d1", "d2", "d3"]
        (segment,) = snapshot.segments
        with pytest.raises(StorageError, match="Permission denied"):
            segment.write_derived("postings", {"a": np.arange(3)}, {})
        assert segment.read_derived("postings") is None
        assert info(path).documents == 4


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.tex").write_text("mine")
    with pytest.raises(StorageError, match=r"it holds 'notes\.tex'"):
        IndexWriter(tmp_path)
    with pytest.raises(StorageError, match=r"File exists|Not a directory"):
        IndexWriter(tmp_path / "notes.tex")
    assert [file.name for file in tmp_path.iterdir()] == ["notes.tex"]


def test_no_index(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(IndexNotFound, match=r"there is no index here.*porism index"):
            Snapshot.open(folder)
        with pytest.raises(IndexNotFound):
            IndexWriter(folder, create=False)
        with pytest.raises(IndexNotFound):
            info(folder)
    assert list(tmp_path.iterdir()) == []


def test_the_configuration_stays_and_is_checked(path: Path) -> None:
    assert Snapshot.open(path).config == {"stemmer": "english"}
    with pytest.raises(ConfigError, match="other settings of ngrams, stemmer"):
        IndexWriter(path, config={"stemmer": "none", "ngrams": (1, 2)})
    with IndexWriter(path, config={"stemmer": "english"}) as writer:
        assert writer.config == {"stemmer": "english"}


@pytest.mark.parametrize("damage", ["empty", "cut", "changed", "list", "no format"])
def test_a_damaged_manifest(path: Path, damage: str) -> None:
    file = path / "manifest.json"
    content = file.read_bytes()
    file.write_bytes({
        "empty": b"", "cut": content[:100], "changed": content.replace(b'"deleted": 0', b'"deleted": 1'), "list": b"[]",
        "no format": content.replace(b'"format"', b'"norm"'),
    }[damage])
    for opening in (Snapshot.open, IndexWriter, info):
        with pytest.raises(IndexCorrupt, match=r"manifest\.json: is damaged.*Restore the folder"):
            opening(path)
    file.write_bytes(content)
    IndexWriter(path).close()


@pytest.mark.parametrize("version", [min(container.BLOCKS) - 1, container.FORMAT + 1])
def test_an_index_of_another_format(path: Path, monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    monkeypatch.setattr(manifest, "FORMAT", version)
    monkeypatch.setattr(manifest, "__version__", "0.9")
    with IndexWriter(path) as writer:
        writer.delete(["d0"])
    monkeypatch.undo()
    for opening in (Snapshot.open, IndexWriter, info):
        with pytest.raises(IndexVersionError, match=rf"format {version}, written by porism 0\.9.*Upgrade porism"):
            opening(path)


def test_damage_in_any_byte_of_a_segment_is_noticed_or_harmless(path: Path) -> None:
    file = path / "segments" / "0000000001" / "segment.bin"
    content = file.read_bytes()
    expected = read_all(Snapshot.open(path))
    noticed = 0
    for at in range(0, len(content), 37):
        changed = bytearray(content)
        changed[at] ^= 0x20
        file.write_bytes(changed)
        try:
            found = read_all(Snapshot.open(path))
        except IndexCorrupt:
            noticed += 1
        else:
            assert found == expected
    assert noticed > 20


def test_a_truncated_segment_and_damaged_tombstones(path: Path) -> None:
    with IndexWriter(path) as writer:
        writer.delete(["d2"])
    folder = path / "segments" / "0000000001"
    tombstones = folder / "deleted-0000000002.bin"
    content = bytearray(tombstones.read_bytes())
    content[64] ^= 1
    tombstones.write_bytes(content)
    with pytest.raises(IndexCorrupt, match="deleted-0000000002"):
        Snapshot.open(path)
    content[64] ^= 1
    tombstones.write_bytes(content)
    assert Snapshot.open(path).doc_count == 3
    segment = folder / "segment.bin"
    segment.write_bytes(segment.read_bytes()[:-1])
    with pytest.raises(IndexCorrupt, match=r"segment\.bin: has \d+ bytes where \d+ were written"):
        Snapshot.open(path)


def test_derived_data(path: Path) -> None:
    (segment,) = Snapshot.open(path).segments
    assert segment.read_derived("postings") is None
    segment.write_derived("postings", {"docs": np.arange(5, dtype=np.int32)}, {"version": 1})
    segment.write_derived("postings", {"docs": np.arange(6, dtype=np.int32)}, {"version": 2})
    (again,) = Snapshot.open(path).segments
    arrays, about = again.read_derived("postings")
    assert arrays["docs"].tolist() == [0, 1, 2, 3, 4, 5]
    assert about == {"version": 2}
    file = again.derived_path("postings")
    content = file.read_bytes()
    for broken in (content[:-1], b"", content[:64] + b"\xff" + content[65:], b"x" * len(content)):
        file.write_bytes(broken)
        assert again.read_derived("postings") is None
    # Data of another segment, such as one from an older copy of the index, is not taken for this one's.
    value = content.replace(orjson.dumps(list(segment.stamp)), orjson.dumps([1, segment.stamp.digest]))
    file.write_bytes(value)
    assert again.read_derived("postings") is None


def test_derived_data_of_another_segment_is_not_taken(path: Path) -> None:
    with IndexWriter(path) as writer:
        writer.add(batch_of([Doc("e", {"body": ["other"]})]))
    first, second = Snapshot.open(path).segments
    for number, segment in enumerate((first, second)):
        segment.write_derived("postings", {"docs": np.array([number])}, {"number": number})
    file = first.derived_path("postings")
    file.write_bytes(second.derived_path("postings").read_bytes())  # whole, and with a checksum that agrees
    assert first.read_derived("postings") is None
    found = second.read_derived("postings")
    assert found is not None
    assert found[1] == {"number": 1}


def test_derived_data_is_written_before_readers_see_the_segment(path: Path) -> None:
    seen: list[tuple[list[str], int]] = []

    def derive(segments: list) -> None:
        seen.append(([segment.name for segment in segments], Snapshot.open(path).doc_count))
        for segment in segments:
            segment.write_derived("postings", {"live": segment.live}, {})

    with IndexWriter(path) as writer:
        writer.add(batch_of([Doc("new", {})]))
        writer.commit(before_publish=derive)
        writer.delete(["d1"])
        writer.commit(before_publish=derive)
    # All segments that will be searched together, while readers still see the state before the commit.
    assert seen == [(["0000000001", "0000000002"], 4), (["0000000001", "0000000002"], 5)]
    snapshot = Snapshot.open(path)
    assert all(segment.read_derived("postings") is not None for segment in snapshot.segments)


def test_batches_whose_columns_do_not_fit_are_refused(path: Path) -> None:
    good = batch_of([Doc("x", {"body": ["a"]})])
    with IndexWriter(path) as writer:
        for name in ("stored", "metadata", "fields"):
            with pytest.raises(ValueError, match="entries where"):
                writer.add(replace(good, **{name: [*getattr(good, name), *getattr(good, name)]}))


def test_occurrences_that_do_not_fit_are_refused(path: Path) -> None:
    formulas = {"body": [("x", "f1", "v1"), ("y", "f2", "v2")]}
    good = batch_of([Doc("x", {}, formulas), Doc("y", {}, formulas)])
    changes = {
        "occurrence_doc": [0, 1, 0, 1], "occurrence_formula": [0, 1, 2, 0], "occurrence_field": [0, 0, 1, 0],
        "occurrence_number": [0, 1, -1, 0], "occurrence_id": ["f1"],
    }
    with IndexWriter(path) as writer:
        for name, values in changes.items():
            column = values if name.endswith("id") else np.asarray(values, np.int32)
            with pytest.raises(ValueError, match=name):
                writer.add(replace(good, **{name: column}))
    assert Snapshot.open(path).doc_count == 4


def test_what_a_killed_writer_left_is_removed(path: Path) -> None:
    (path / "tokenizers").mkdir()
    left = [path / "manifest.json.7-0a.tmp", path / "tokenizers" / "letters.json.7-0a.tmp"]
    kept = path / "tokenizers" / "letters.json"
    for file in [*left, kept]:
        file.write_text("{}")
    IndexWriter(path).close()
    assert [file.exists() for file in [*left, kept]] == [False, False, True]
