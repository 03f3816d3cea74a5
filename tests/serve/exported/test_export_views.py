"""What is exported of documents: weights whose inner products are scores, and candidates that miss nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from case_tables import every_case
from export_cases import export_terms, exported_lexical
from lexical_cases import CHANNELS, FIELDS, WORDS, queries, random_docs, write
from long_forms import LONG
from memory_backend import MemoryBackend
from soft_cases import matrix_of, random_similar

from porism.index import Snapshot
from porism.retrieve.lexical.channels import Zone
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.weightings import weighting_named
from porism.retrieve.weightings.base import BM25, BM25Plus, LexicalChannel
from porism.serve.exported.lexical import DOCUMENTS, ExportedLexical
from porism.serve.exported.views import EVERY, views_of

ASKED = queries(5, 12 if LONG else 5)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    path = tmp_path_factory.mktemp("views") / "index"
    docs = random_docs(3, 60)
    with write(path, docs[:40], docs[40:], deleted=["d3", "d46", "d50"]) as opened:
        yield opened


def _stored(name: str, **parameters: float) -> dict[str, LexicalChannel]:
    weighting = weighting_named(name, 1.2, 0.75, 0.0, parameters)
    return {"words": LexicalChannel(0.7, weighting), "letters": CHANNELS["letters"]}


def _retriever(name: str, snapshot: Snapshot, tmp_path: Path) -> LexicalRetriever:
    segments = snapshot.segments
    if name == "zones":
        return LexicalRetriever(segments, CHANNELS, FIELDS, {"title": Zone(0.5, {"title": 2.0})})
    if name == "plus":
        return LexicalRetriever(segments, {"words": LexicalChannel(2.0, BM25Plus(1.2, 0.5, 1.0))}, FIELDS)
    if name == "own fields":
        own = replace(CHANNELS["letters"], field_weights={"*": 0.0, "body": 1.0})
        return LexicalRetriever(segments, {"words": CHANNELS["words"], "letters": own}, FIELDS)
    if name.startswith("soft"):
        matrix = matrix_of(tmp_path / "s.bin", random_similar(4, WORDS))
        channel = LexicalChannel(1.0, BM25(), matrix, normalised={"soft": False, "soft cosine": True}[name])
        return LexicalRetriever(segments, {"words": channel})
    if name == "zones of stored":
        return LexicalRetriever(segments, _stored("ltc.ltc"), FIELDS, {"title": Zone(0.5, {"title": 1.0})})
    return LexicalRetriever(segments, CHANNELS if name == "bm25" else _stored(name), FIELDS)


NAMES = ["zones", "plus", "dirichlet", "soft cosine"]
OTHERS = ["bm25", "own fields", "ltc.ltc", "pl2", "soft", "zones of stored"]


@every_case("name", [*NAMES, *OTHERS] if LONG else NAMES)
def test_results_are_those_of_the_index_bit_by_bit(name: str, snapshot: Snapshot, tmp_path: Path) -> None:
    lexical = _retriever(name, snapshot, tmp_path)
    exported = exported_lexical(MemoryBackend(most=25), lexical)
    found = 0
    for k in (1, 200):
        asked = [{channel: terms for channel, terms in query.items() if channel in lexical.channels} for query in ASKED]
        own, there = lexical.search_terms(asked, k), exported.search_terms(asked, k)
        assert [one.ids for one in there] == [one.ids for one in own]
        assert [one.scores.tolist() for one in there] == [one.scores.tolist() for one in own]
        found += sum(len(one.ids) for one in own)
    assert found > 100


@every_case("name", ["zones", "dirichlet", "ltc.ltc"])
def test_the_inner_product_is_the_score(name: str, snapshot: Snapshot, tmp_path: Path) -> None:
    lexical = _retriever(name, snapshot, tmp_path)
    backend = MemoryBackend()
    exported = exported_lexical(backend, lexical)
    for query in ASKED[:2]:
        terms = {channel: terms for channel, terms in query.items() if channel in lexical.channels}
        names, prepared = lexical.terms.read(terms)
        vector, bound = exported._wanted(names, prepared)
        wanted = vector.row(0)
        (results,) = lexical.search_terms([terms], 20)
        assert len(results.ids) > 1
        for doc_id, score in zip(results.ids, results.scores.tolist(), strict=True):
            row = backend.rows[DOCUMENTS][doc_id].vector
            product = sum(weight * row.get(dimension, 0.0) for dimension, weight in wanted.items())
            assert bound.above(product) == pytest.approx(score, rel=1e-5)
            assert bound.above(product) >= score


def test_deleted_documents_are_not_exported_and_no_row_is_empty(snapshot: Snapshot) -> None:
    backend = MemoryBackend()
    export_terms(backend, snapshot.segments, LexicalRetriever(snapshot.segments, CHANNELS, FIELDS))
    assert len(backend.rows[DOCUMENTS]) == 57
    assert not {"d3", "d46", "d50"} & backend.rows[DOCUMENTS].keys()
    assert all(row.vector[EVERY] == 1.0 for row in backend.rows[DOCUMENTS].values())


def test_a_view_is_told_by_all_that_its_weights_depend_on(snapshot: Snapshot, tmp_path: Path) -> None:
    def keys(**changed: object) -> list[str]:
        channel = replace(CHANNELS["words"], **changed)  # type: ignore[arg-type]
        return [view.key for view in views_of(LexicalRetriever(snapshot.segments, {"words": channel}, FIELDS))]

    (plain,) = keys()
    assert keys(weight=3.0) == [plain]  # the query has it
    assert keys(field_weights={"body": 2, "*": 0}) == keys(field_weights={"*": 0.0, "body": 2.0})
    matrix = matrix_of(tmp_path / "s.bin", random_similar(4, WORDS))
    assert keys(similarity=matrix) == [plain]
    others = [
        *keys(weighting=BM25(1.3, 0.75)), *keys(weighting=BM25Plus(1.2, 0.75)), *keys(field_weights={"body": 2.0}),
        *keys(similarity=matrix, normalised=True), *keys(similarity=matrix, normalised="maintain"),
        *keys(similarity=matrix, normalised=True, softness=0.5),
        *keys(weighting=weighting_named("ltc.ltc", 1, 0, 0, {})),
    ]
    assert len({plain, *others}) == 8


@every_case("factor", [0.2, 2.5])
def test_weights_of_other_statistics_cost_candidates_and_no_results(factor: float, snapshot: Snapshot) -> None:
    lexical = LexicalRetriever(snapshot.segments, CHANNELS, FIELDS)
    right, off = MemoryBackend(), MemoryBackend()
    now = {view.key: view.freeze(1) for view in views_of(lexical)}
    then = {key: one._replace(mean_length=one.mean_length * factor) for key, one in now.items()}
    for view in views_of(lexical):
        assert view.drift(now[view.key]) == 1.0
        assert view.drift(then[view.key]) == 1.0 if factor > 1 else 1.0 < view.drift(then[view.key]) <= 1 / factor
    asked = [{"words": query["words"]} for query in queries(8, 8)]
    for backend, frozen in ((right, now), (off, then)):
        export = export_terms(backend, snapshot.segments, lexical, frozen)
        exported = ExportedLexical(export, lexical.segments, CHANNELS, FIELDS)
        for query in asked:
            (own,), (there,) = lexical.search_terms([query], 15), exported.search_terms([query], 15)
            assert (there.ids, there.scores.tolist()) == (own.ids, own.scores.tolist())
    asked_for = [sum(limit for _, limit, _ in backend.searches) for backend in (right, off)]
    assert asked_for[1] > asked_for[0] if factor < 1 else asked_for[1] >= asked_for[0]
