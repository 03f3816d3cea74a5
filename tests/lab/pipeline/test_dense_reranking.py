"""What structure search finds, re-ranked by vectors; and hints of the encoder to whoever asks."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_models import TEXTS, need_encoders, save_encoder

from porism.lab.pipeline import RetrieverReranker, pipeline
from porism.retrieve.formulas.model import DEFAULT_FORMULA_MODEL
from porism.search.index import open_index
from porism.search.sources.indexing import index_documents
from porism.types import Content, Document, Formula, Query
from porism.vectors.dense.encoding import DENSE_ENCODING

need_encoders()


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reranking")
    documents = [
        Document(f"d{number}", {"body": Content.of(f"{TEXTS[number % 3]} ", Formula(f"x^2 + {number}"))})
        for number in range(6)
    ]
    documents.append(Document("other", {"body": Content("A prime number divides a product.")}))
    path = folder / "i.index"
    index_documents(documents, path, jobs=1)
    DENSE_ENCODING.encode(path, save_encoder(folder / "tiny"), device="cpu")
    return path


def test_structure_search_is_reranked_by_vectors(index: Path) -> None:
    with open_index(index) as opened:
        query = Query("q", {"query": Content.of("a prime number divides ", Formula("x^2 + 3"))})
        first = pipeline(opened, DEFAULT_FORMULA_MODEL).search([query], 10)["q"]
        found = (pipeline(opened, DEFAULT_FORMULA_MODEL) >> RetrieverReranker(opened, "dense", 10)).search([query], 10)
        dense = dict(opened.with_models("dense").run([query], 10)["q"])
        assert {name for name, _ in found["q"]} == {name for name, _ in first}
        assert "other" not in dict(found["q"])
        expected = sorted(dict(first), key=lambda name: (-dense[name], name))
        assert [dense[name] for name, _ in found["q"]] == [dense[name] for name in expected]


def test_who_asks_too_much_learns_what_was_not_read(index: Path) -> None:
    with open_index(index, "neural") as opened:
        assert not any("tokens" in hint for hint in opened.hints("a prime number"))
        hints = opened.hints(" ".join([*TEXTS[:3]] * 4))
        assert any(hint.startswith("the encoder reads 64 tokens of a question; the last ") for hint in hints)
