"""What an encoder that fails leaves: no record, the vectors there were, and an index whose updates go on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from dense_cases import document, query, write_index
from tiny_models import need_encoders, save_encoder, save_splade

from porism.cli import porism as command
from porism.errors import ConfigError, Problem, StorageError
from porism.index import Snapshot
from porism.search.artifacts import list_artifacts
from porism.search.index import open_index
from porism.search.models.vectors import prepare_vectors
from porism.search.sources.indexing import index_documents, prepare_for_searches
from porism.vectors.dense.encoding import DENSE_ENCODING
from porism.vectors.dense.retriever import DenseRetriever
from porism.vectors.neural.encoder import Encoder
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.splade.encoding import SPARSE_ENCODING

need_encoders()


def failing_after(count: int, error: Exception) -> Callable[..., Any]:
    """What encodes documents, and raises an error the time after ``count``."""
    inner, calls = Encoder.encode_documents, [0]

    def encode(self: Encoder, texts: Any, *rest: Any) -> Any:
        calls[0] += 1
        if calls[0] > count:
            raise error
        return inner(self, texts, *rest)

    return encode


def names(index: Path) -> list[str]:
    """The encodings that an index lists."""
    return [artifact.name for artifact in list_artifacts(index)]


def found(index: Path) -> list[str]:
    """What dense search finds."""
    with Snapshot.open(index) as snapshot:
        return [name for name, _ in DenseRetriever(snapshot).search([query("a prime number")], 50)["q"]]


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """An index of ten documents, and beside it an encoder."""
    save_encoder(tmp_path / "tiny")
    return write_index(tmp_path / "i.index", [document(number) for number in range(10)])


@pytest.mark.parametrize("error", [ConfigError("not numbers"), StorageError("no room"), RuntimeError("mixed dtype")])
def test_a_failed_encoding_leaves_no_record(index: Path, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Encoder, "encode_documents", failing_after(0, error))
        with pytest.raises(type(error)):
            DENSE_ENCODING.encode(index, index.parent / "tiny", device="cpu")
    assert names(index) == []
    assert index_documents([document(30)], index, jobs=1).problems == 0
    assert DENSE_ENCODING.encode(index, index.parent / "tiny", device="cpu").encoded == 11


def test_a_failed_encoding_leaves_the_one_before(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    DENSE_ENCODING.encode(index, index.parent / "tiny", device="cpu")
    before = found(index)
    with monkeypatch.context() as patch:
        patch.setattr(Encoder, "encode_documents", failing_after(0, ConfigError("not numbers")))
        with pytest.raises(ConfigError, match="not numbers"):
            DENSE_ENCODING.encode(index, index.parent / "tiny", settings=EncoderSettings(length=9), device="cpu")
    assert found(index) == before
    assert len(list(index.rglob("vectors-dense-*.bin"))) == 1


def test_a_failed_encoding_of_a_sparse_encoder_leaves_the_one_before(tmp_path: Path, index: Path) -> None:
    def search() -> list[str]:
        with open_index(index, "splade") as opened:
            return [hit.id for hit in opened.search("a prime number")]

    SPARSE_ENCODING.encode(index, save_splade(tmp_path / "terms"), device="cpu")
    before = search()
    assert before
    with pytest.raises(KeyError):
        SPARSE_ENCODING.encode(
            index, tmp_path / "terms", settings=EncoderSettings(length=9), device="cpu",
            on_progress=lambda done, total: {}[done],
        )
    assert search() == before
    SPARSE_ENCODING.encode(index, tmp_path / "terms", settings=EncoderSettings(length=9), device="cpu")
    assert len(list(index.rglob("vectors-splade-*.bin"))) == 1


def test_what_an_interruption_left_goes_with_its_encoder(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("porism.vectors.dense.encoding.DenseVectors.chunk", 4)

    def stop(done: int, total: int) -> None:
        if done >= 4:
            raise KeyboardInterrupt

    assert DENSE_ENCODING.encode(index, index.parent / "tiny", device="cpu", on_progress=stop).interrupted
    assert list((index / "encoding").iterdir())
    DENSE_ENCODING.forget(index, "tiny")
    assert not list((index / "encoding").iterdir())


@pytest.mark.parametrize("error", [ConfigError("not numbers"), RuntimeError("mixed dtype"), IndexError("out of range")])
def test_an_update_goes_on_without_an_encoder_that_fails(
    index: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    DENSE_ENCODING.encode(index, index.parent / "tiny", device="cpu")
    problems: list[Problem] = []
    with monkeypatch.context() as patch:
        patch.setattr(Encoder, "encode_documents", failing_after(0, error))
        report = index_documents([document(30)], index, jobs=1, on_problem=problems.append)
        with pytest.raises(type(error)):  # who asks for vectors is told
            write_index(index, [document(31)], before_publish=prepare_vectors)
        write_index(index, [document(31)], before_publish=prepare_for_searches)
    assert (report.documents, report.problems) == (1, 1)
    assert problems[0].where == "vectors of the encoder tiny"
    assert problems[0].what.startswith("are missing until an update computes them: ")
    assert str(error) in problems[0].what
    with pytest.raises(ConfigError, match=r"are missing.*porism encode"):
        found(index)
    assert index_documents([document(32)], index, jobs=1).problems == 0  # and completes what is missing
    assert len(found(index)) == 13 - 1  # d010 is empty


def test_one_problem_of_many_commits_is_told_once(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    DENSE_ENCODING.encode(index, index.parent / "tiny", device="cpu")
    monkeypatch.setattr(Encoder, "encode_documents", failing_after(0, RuntimeError("mixed dtype")))
    monkeypatch.setattr("porism.search.sources.indexing.COMMIT_SECONDS", 0.0)
    monkeypatch.setattr("porism.search.sources.indexing.BATCH_DOCUMENTS", 1)
    report = index_documents([document(number) for number in range(20, 26)], index, jobs=1)
    assert (report.documents, report.problems) == (6, 1)


def test_a_merge_and_a_removed_source_say_what_an_encoder_lacks(
    index: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    DENSE_ENCODING.encode(index, index.parent / "tiny", device="cpu")
    write_index(index, [document(30)])
    monkeypatch.setattr(Encoder, "encode_documents", failing_after(0, RuntimeError("mixed dtype")))
    ran = CliRunner().invoke(command, ["merge", "--index", str(index)])
    assert (ran.exit_code, "Note: vectors of the encoder tiny: are missing" in ran.stderr) == (0, True), ran.output
    with Snapshot.open(index) as snapshot:
        assert len(snapshot.segments) == 1


