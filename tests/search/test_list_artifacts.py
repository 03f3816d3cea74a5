"""The list of an index's artifacts, and when one is out of date."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from porism.search.artifacts import Artifact, list_artifacts
from porism.search.sources.indexing import index_documents
from porism.system.files.artifacts import EMBEDDINGS
from porism.types import Content, Document
from porism.vectors.embeddings import (
    write_token_vectors,
)
from porism.vectors.similarity import SimilaritySettings, build_similarities


def vectors(index: Path, generation: int, value: float = 1.0) -> None:
    write_token_vectors(
        EMBEDDINGS.path(index, "e"), ["ring", "field"], np.array([[1.0, 0.0], [0.9, value]]),
        {"channel": "words", "method": "word2vec", "generation": generation},
    )


def documents(*ids: str) -> list[Document]:
    return [Document(one, {"body": Content("ring field")}) for one in ids]


def outdated(index: Path) -> dict[str, str]:
    return {f"{one.kind}/{one.name}": one.outdated for one in list_artifacts(index)}


@pytest.fixture
def index(tmp_path: Path) -> Path:
    path = tmp_path / "i.index"
    index_documents(documents("a", "b"), path)
    assert list_artifacts(path) == []
    vectors(path, 1)
    build_similarities(path, "near", SimilaritySettings(channel="words", embeddings="e", alpha=0.0, min_df=1))
    return path


def test_artifacts_are_listed_with_what_they_were_made_of(index: Path) -> None:
    embeddings, matrix = list_artifacts(index)
    assert isinstance(embeddings, Artifact)
    assert (embeddings.kind, embeddings.name, embeddings.outdated) == ("embeddings", "e", "")
    assert embeddings.size == embeddings.path.stat().st_size
    assert (matrix.kind, matrix.name, matrix.outdated) == ("similarities", "near", "")
    assert matrix.made_of["embeddings"]["name"] == "e"


def test_a_matrix_is_out_of_date_when_its_embeddings_are_others(index: Path) -> None:
    vectors(index, 1, value=0.5)
    assert outdated(index)["similarities/near"] == "the embeddings 'e' were trained again since"
    EMBEDDINGS.path(index, "e").unlink()
    assert outdated(index) == {"similarities/near": "the embeddings 'e' that it was made of are gone"}


def test_later_commits_are_counted(index: Path) -> None:
    index_documents(documents("c"), index)
    assert outdated(index) == {"embeddings/e": "made 1 commit ago", "similarities/near": "made 1 commit ago"}


def test_a_broken_artifact_is_listed_and_says_so(index: Path) -> None:
    EMBEDDINGS.path(index, "e").write_bytes(b"broken")
    found = outdated(index)
    assert "cannot be read" in found["embeddings/e"]
    assert found["similarities/near"] == "the embeddings 'e' that it was made of cannot be read"
