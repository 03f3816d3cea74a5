"""In which order files get their content and their names: first what is in them is durable, then they appear."""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xxhash
from index_cases import Doc, batch_of

from porism.analysis.tokenizers.tokenizer import TokenizerReference, keep_tokenizers
from porism.errors import StorageError
from porism.index import IndexWriter
from porism.index.container_writer import ContainerWriter
from porism.index.manifest import read_manifest, write_manifest
from porism.retrieve.lexical.similarity_matrix import write_similarity_matrix
from porism.system.files import durable
from porism.vectors.embeddings.vectors import write_token_vectors

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc/self/fd: run it on Linux")


class Recorder:
    """The calls that make things durable, in their order, each as what it does and the names below ``root``."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[str] = []
        fsync, replace = os.fsync, os.replace

        def name(path: Any) -> str:
            return re.sub(r"\.\d+-[0-9a-f]{8}\.tmp$", "~", os.path.relpath(path, root))

        def watched_fsync(descriptor: int) -> None:
            fsync(descriptor)
            self.calls.append(f"sync {name(os.readlink(f'/proc/self/fd/{descriptor}'))}")

        def watched_replace(source: Any, target: Any) -> None:
            replace(source, target)
            self.calls.append(f"{name(source)} becomes {name(target)}")

        monkeypatch.setattr(os, "fsync", watched_fsync)
        monkeypatch.setattr(os, "replace", watched_replace)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path.resolve()


@pytest.fixture
def recorder(root: Path, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    return Recorder(root, monkeypatch)


def test_a_file_that_is_replaced(root: Path, recorder: Recorder) -> None:
    durable.replace_file(root / "a", b"content")
    assert recorder.calls == ["sync a~", "a~ becomes a", "sync ."]


def test_a_container_that_is_replaced(root: Path, recorder: Recorder) -> None:
    with ContainerWriter(root / "c", "test", atomic=True) as writer:
        writer.add("a", np.arange(3))
        assert recorder.calls == []
        writer.finish({})
    assert recorder.calls == ["sync c~", "c~ becomes c", "sync ."]


def test_folders(root: Path, recorder: Recorder) -> None:
    durable.make_folder(root / "a" / "b" / "c")
    assert recorder.calls == ["sync .", "sync a", "sync a/b"]
    durable.make_folder(root / "a" / "b")
    assert len(recorder.calls) == 3
    with pytest.raises(StorageError, match="No such file"):
        durable.make_folder(root / "x" / "y", parents=False)
    assert not (root / "x").exists()


def test_a_manifest_comes_after_everything_that_it_names(root: Path, recorder: Recorder) -> None:
    with IndexWriter(root / "index") as writer:
        writer.add(batch_of([Doc("a", {"body": ["x"]}), Doc("b", {"body": ["x"]})]))
        writer.commit(before_publish=lambda segments: segments[0].write_derived("postings-d", {"a": np.arange(2)}, {}))
    segment, derived = "index/segments/0000000001", "index/segments/0000000001/derived"
    manifest = ["sync index/manifest.json~", "index/manifest.json~ becomes index/manifest.json", "sync index"]
    assert recorder.calls == [
        "sync .", "sync .",  # the folder, made now, and its name
        "sync index",  # of the folder of segments
        f"sync {segment}/segment.bin", f"sync {segment}", "sync index/segments",
        f"sync {segment}", f"sync {derived}/postings-d.bin~",
        f"{derived}/postings-d.bin~ becomes {derived}/postings-d.bin",
        f"sync {derived}",
        *manifest,
    ]
    recorder.calls.clear()
    with IndexWriter(root / "index") as writer:
        writer.delete(["a"])
    tombstones = f"{segment}/deleted-0000000002.bin"
    assert recorder.calls == [
        f"sync {tombstones}~", f"{tombstones}~ becomes {tombstones}", f"sync {segment}", *manifest
    ]


def test_what_lies_beside_the_segments(root: Path, recorder: Recorder) -> None:
    (root / "letters.json").write_text("{}")
    digest = xxhash.xxh3_128_hexdigest(b"{}")
    keep_tokenizers([TokenizerReference("letters", "text", digest, str(root / "letters.json"))], root / "index")
    kept = "index/tokenizers/letters.json"
    assert recorder.calls == [
        "sync .", "sync index", f"sync {kept}~", f"{kept}~ becomes {kept}", "sync index/tokenizers"
    ]
    recorder.calls.clear()
    write_token_vectors(root / "index/embeddings/v.bin", ["a"], np.ones((1, 2)), {"channel": "words", "method": "m"})
    assert recorder.calls == [
        "sync index", "sync index/embeddings/v.bin~", "index/embeddings/v.bin~ becomes index/embeddings/v.bin",
        "sync index/embeddings",
    ]
    recorder.calls.clear()
    write_similarity_matrix(
        root / "index/similarities/s.bin", ["a"], np.array([0, 1]), np.array([0]), np.array([1.0]), {}
    )
    assert recorder.calls == [
        "sync index", "sync index/similarities/s.bin~",
        "index/similarities/s.bin~ becomes index/similarities/s.bin", "sync index/similarities",
    ]


def test_a_failure_leaves_the_old_file_and_nothing_else(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    durable.replace_file(root / "a", b"old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(durable, "sync_file", full)
    with pytest.raises(StorageError, match="Free some space"):
        durable.replace_file(root / "a", b"new")
    assert (root / "a").read_bytes() == b"old"
    assert os.listdir(root) == ["a"]


def test_file_systems_without_durable_names_are_used_all_the_same(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "fsync", refuse)
    durable.sync_folder(root)
    monkeypatch.setattr(os, "fsync", lambda descriptor: (_ for _ in ()).throw(OSError(errno.EIO, "Input/output error")))
    with pytest.raises(OSError, match="Input/output"):
        durable.sync_folder(root)


def test_a_manifest_is_never_seen_half_written(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with IndexWriter(root / "index") as writer:
        writer.add(batch_of([Doc("a", {})]))
    before = read_manifest(root / "index")
    seen: list[int] = []

    def look(descriptor: int) -> None:
        seen.append(read_manifest(root / "index").generation)

    monkeypatch.setattr(durable, "sync_file", look)
    write_manifest(root / "index", type(before)(**{
        name: getattr(before, name) for name in before.__slots__ if name != "generation"
    }, generation=7))
    assert seen == [1]
    assert read_manifest(root / "index").generation == 7


def test_an_interruption_waits_until_a_folder_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "segment"
    (folder / "derived").mkdir(parents=True)
    (folder / "derived" / "data.bin").write_bytes(b"1")
    close = os.close

    def close_interrupted(descriptor: int) -> None:
        close(descriptor)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(os, "close", close_interrupted)
    with pytest.raises(KeyboardInterrupt):  # and no OSError of a descriptor that was closed twice
        durable.remove_tree(folder)
    monkeypatch.undo()
    assert not folder.exists()
    durable.remove_tree(folder)
