"""Links between threads: the graph against its definition, what documents gain, and why."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from lexical_cases import Doc, batch_of

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.errors import ConfigError
from porism.index import IndexWriter, Snapshot
from porism.index.engine.links import LinkGraph, open_links, prepare_links
from porism.retrieve import ChannelSettings, DocumentRetriever, SearchModel
from porism.retrieve.documents.links import LinkedThreads, Links
from porism.retrieve.ranking import UnitResults
from porism.search.sources.indexing import index_documents
from porism.types import Content, Document, Metadata, Query

FIELDS = ("linked", "duplicates")
Threads = dict[str, Metadata]


def write(path: Path, *groups: Threads, deleted: Sequence[str] = ()) -> Snapshot:
    with IndexWriter(path, config={}) as writer:
        for group in groups:
            made = batch_of([Doc(name, {"body": ["word"]}) for name in group])
            writer.add(replace(made, metadata=list(group.values())))
            writer.commit()
        writer.delete(list(deleted))
    return Snapshot.open(path)


def random_threads(seed: int, count: int) -> Threads:
    chance = random.Random(seed)
    documents: Threads = {}
    for number in range(count):
        metadata: dict[str, str | tuple[str, ...]] = {}
        if chance.random() < 0.9:
            metadata["question_id"] = f"t{chance.randrange(count // 2)}"
        for key in FIELDS:
            if chance.random() < 0.6:
                metadata[key] = tuple({f"t{chance.randrange(count)}" for _ in range(chance.randrange(1, 5))})
        documents[f"d{number}"] = metadata
    return documents


def links_by_the_book(documents: Threads) -> dict[str, set[str]]:
    """Thread → threads linked with it; only those of some document."""
    links: dict[str, set[str]] = {str(found): set() for m in documents.values() if (found := m.get("question_id"))}
    for metadata in documents.values():
        own = str(metadata.get("question_id", ""))
        for other in {name for key in FIELDS for name in metadata.get(key, ())}:
            if own in links and other in links and other != own:
                links[own].add(other)
                links[other].add(own)
    return links


def as_dict(graph: LinkGraph) -> dict[str, list[str]]:
    return {
        graph.name(thread): [
            graph.name(other) for other in graph.neighbours[graph.indptr[thread] : graph.indptr[thread + 1]].tolist()
        ]
        for thread in range(len(graph.names))
    }


@every_case("seed", range(4))
def test_the_graph_is_that_of_live_documents_in_any_segmentation(tmp_path, seed) -> None:
    documents = random_threads(seed, 60)
    names = list(documents)
    groups = [dict(list(documents.items())[low:high]) for low, high in ((40, 60), (0, 1), (1, 40))]
    gone = names[::4]
    for number, (parts, deleted) in enumerate([((documents,), ()), (groups, ()), ((documents,), gone), (groups, gone)]):
        snapshot = write(tmp_path / str(number), *parts, deleted=deleted)
        left = {name: metadata for name, metadata in documents.items() if name not in deleted}
        expected = {thread: sorted(others) for thread, others in links_by_the_book(left).items()}
        graph = LinkGraph(snapshot.segments, "question_id", FIELDS)
        assert as_dict(graph) == expected
        for segment, thread_of in zip(snapshot.segments, graph.thread_of, strict=True):
            for doc in np.flatnonzero(segment.live).tolist():
                thread = segment.metadata(doc).get("question_id")
                assert (graph.name(int(thread_of[doc])) if thread_of[doc] >= 0 else None) == thread


def test_a_replaced_document_takes_its_links_along(tmp_path) -> None:
    first = {"a": {"question_id": "1", "linked": ("2",)}, "b": {"question_id": "2"}, "c": {"question_id": "3"}}
    snapshot = write(tmp_path / "index", first, {"a": {"question_id": "1", "linked": ("3",)}})
    assert as_dict(LinkGraph(snapshot.segments, "question_id", FIELDS)) == {"1": ["3"], "2": [], "3": ["1"]}


def test_a_link_holds_while_one_document_of_the_thread_names_it(tmp_path) -> None:
    documents: Threads = {
        "a": {"question_id": "1", "linked": ("2", "4")}, "b": {"question_id": "1", "linked": ("2", "3")},
        "c": {"question_id": "2"}, "d": {"question_id": "3"}, "e": {"question_id": "4"},
    }
    snapshot = write(tmp_path / "index", documents, deleted=["a"])
    prepare_links(snapshot.segments, "question_id", FIELDS)
    graph = LinkGraph(Snapshot.open(tmp_path / "index").segments, "question_id", FIELDS)
    assert as_dict(graph) == {"1": ["2", "3"], "2": ["1"], "3": ["1"], "4": []}


def test_of_several_threads_a_document_is_of_the_first_by_name(tmp_path) -> None:
    documents: Threads = {"a": {"question_id": ("9", "10")}, "b": {"question_id": "9", "linked": "10"}}
    graph = LinkGraph(write(tmp_path / "index", documents).segments, "question_id", FIELDS)
    assert as_dict(graph) == {"10": ["9"], "9": ["10"]}


def test_stored_links_are_read_and_made_again_when_damaged(tmp_path) -> None:
    documents = random_threads(9, 40)
    snapshot = write(tmp_path / "index", documents)
    before = as_dict(LinkGraph(snapshot.segments, "question_id", FIELDS))
    prepare_links(snapshot.segments, "question_id", FIELDS)
    file, = (tmp_path / "index").rglob("links-*.bin")
    segment, = Snapshot.open(tmp_path / "index").segments
    assert not open_links(segment, "question_id", FIELDS).thread_of.flags.writeable  # mapped
    for size in (0, 100):
        file.write_bytes(file.read_bytes()[:size])
        assert as_dict(LinkGraph(Snapshot.open(tmp_path / "index").segments, "question_id", FIELDS)) == before
    arrays = {name: getattr(open_links(segment, "question_id", FIELDS), name) for name in (
        "blob", "starts", "thread_of", "sources", "targets", "partial", "partial_docs")}
    segment.write_derived(file.stem, {**arrays, "targets": arrays["targets"] + np.int32(1000)}, {})
    assert as_dict(LinkGraph(Snapshot.open(tmp_path / "index").segments, "question_id", FIELDS)) == before


def candidates_of(snapshot: Snapshot, scores: dict[str, float]) -> UnitResults:
    segments, units = zip(*(
        next((number, segment.find(name)) for number, segment in enumerate(snapshot.segments)
             if segment.find(name) is not None)
        for name in scores
    ), strict=True)
    return UnitResults(np.array(segments, np.int32), np.array(units, np.int32), np.array(list(scores.values())))


def test_gains_worked_by_hand(tmp_path) -> None:
    """Thread 1 is linked with 2 (best score 6), 3 (no candidate) and 4 (3): 0.3 · (6 + 0 + 3) / 3."""
    documents: Threads = {
        "a": {"question_id": "1", "linked": ("2", "3"), "duplicates": ("2", "404")}, "b": {"question_id": "2"},
        "b2": {"question_id": "2"}, "c": {"question_id": "3"}, "d": {"question_id": "4", "linked": "1"}, "e": {},
    }
    snapshot = write(tmp_path / "index", dict(list(documents.items())[:3]), dict(list(documents.items())[3:]))
    linked = LinkedThreads(snapshot.segments, Links(0.3))
    found = candidates_of(snapshot, {"a": 7.0, "b": 4.0, "b2": 6.0, "d": 3.0, "e": 9.0})
    query = Query("q", {"question": Content("word")})
    assert linked.applies(query)
    gains = linked.scores(query, found)
    assert gains.tolist() == pytest.approx([0.3 * 9 / 3, 0.3 * 7, 0.3 * 7, 0.3 * 7, 0.0])
    for position, gain in enumerate(gains.tolist()):
        explanation = linked.explain(query, found, position)
        assert explanation.value == gain
        assert math.isclose(sum(part.value for part in explanation.parts), gain)
    explanation = linked.explain(query, found, 0)
    assert "3 threads linked with thread 1" in explanation.label
    assert [part.label.split(":")[0] for part in explanation.parts] == ["thread 2", "thread 4"]


@every_case("seed", range(3))
def test_gains_by_the_book_in_any_segmentation(tmp_path, seed) -> None:
    documents = random_threads(seed + 20, 50)
    links = links_by_the_book(documents)
    chance = random.Random(seed)
    scores = {name: chance.random() * 20 for name in chance.sample(sorted(documents), 30)}
    best: dict[str, float] = {}
    for name, score in scores.items():
        if thread := documents[name].get("question_id"):
            best[str(thread)] = max(score, best.get(str(thread), 0.0))
    gain = {
        thread: 0.5 * sum(best.get(other, 0.0) for other in others) / max(len(others), 1)
        for thread, others in links.items()
    }
    expected = [gain.get(str(documents[name].get("question_id")), 0.0) for name in scores]
    items = list(documents.items())
    gains = [
        LinkedThreads(snapshot.segments, Links(0.5)).scores(
            Query("q", {}), candidates_of(snapshot, scores)).tolist()
        for snapshot in (
            write(tmp_path / "whole", documents), write(tmp_path / "parts", dict(items[30:]), dict(items[:30]))
        )
    ]
    assert gains[0] == pytest.approx(expected)
    assert gains[0] == gains[1]


@every_case("documents", [
    {"a": {}, "b": {"tags": ("x",)}}, {"a": {"question_id": "1"}, "b": {"question_id": "2"}},
    {"a": {"linked": ("1",)}, "b": {"question_id": "1"}}, {"a": {"question_id": "1", "linked": ("1", "2")}}, {},
])
def test_collections_without_links_gain_nothing(tmp_path, documents) -> None:
    snapshot = write(tmp_path / "index", documents) if documents else write(tmp_path / "index")
    prepare_links(snapshot.segments, "question_id", FIELDS)
    linked = LinkedThreads(Snapshot.open(tmp_path / "index").segments, Links(0.3))
    assert not linked.applies(Query("q", {}))
    if documents:
        found = candidates_of(snapshot, dict.fromkeys(documents, 1.0))
        assert linked.scores(Query("q", {}), found).tolist() == [0.0] * len(documents)


CONFIG = AnalysisConfig(formulas=("tokens",))
MODEL = SearchModel({"words": ChannelSettings()}, links=Links(0.5))


@pytest.fixture
def forum(tmp_path) -> Path:
    """Answers of linked threads; the one about foxes says nothing of dogs but is linked with one that does."""
    index_documents([
        Document("1", {"body": Content("dog dog cat")}, {"question_id": "10", "linked": ("20",)}),
        Document("2", {"body": Content("cat and fox")}, {"question_id": "20"}),
        Document("3", {"body": Content("cat and emu")}, {"question_id": "30"}),
        Document("4", {"body": Content("owl")}, {"question_id": "40", "duplicates": ("10",)}),
    ], tmp_path / "forum", config=CONFIG, model=MODEL, jobs=1)
    return tmp_path / "forum"


def test_a_search_puts_linked_documents_first(forum) -> None:
    retriever = DocumentRetriever(Snapshot.open(forum), Analyzer(CONFIG), MODEL)
    plain = DocumentRetriever(Snapshot.open(forum), Analyzer(CONFIG), SearchModel({"words": ChannelSettings()}))
    query = Query("q", {"question": Content("dog cat")})
    before = plain.search([query], 9)["q"]
    assert [doc for doc, _ in before] == ["1", "3", "2"]  # level, so the later id first
    run = retriever.search([query], 9)["q"]
    assert [doc for doc, _ in run] == ["1", "2", "3"]
    assert retriever.search([query], 2)["q"] == run[:2]
    assert dict(run)["2"] == pytest.approx(dict(before)["2"] + 0.5 * dict(before)["1"])
    for doc_id, score in run:
        explanation = retriever.explain(query, doc_id)
        assert explanation.value == score
        assert math.isclose(sum(part.value for part in explanation.parts), score)
    assert retriever.explain(query, "2").parts[-1].label.startswith("links")


def test_a_document_beyond_the_candidates_is_explained_as_one_more(forum) -> None:
    retriever = DocumentRetriever(Snapshot.open(forum), Analyzer(CONFIG), replace(MODEL, candidates=1))
    query = Query("q", {"question": Content("dog cat")})
    assert [doc for doc, _ in retriever.search([query], 1)["q"]] == ["1"]
    best = retriever.search([query], 1)["q"][0][1]
    assert retriever.explain(query, "4", k=1).value == pytest.approx(0.5 * best / 1)
    assert retriever.explain(query, "3", k=1).value == pytest.approx(dict(retriever.search([query], 3)["q"])["3"])


def test_filters_hold_for_candidates(forum) -> None:
    retriever = DocumentRetriever(Snapshot.open(forum), Analyzer(CONFIG), MODEL)
    query = Query("q", {"question": Content("dog cat")})
    some = {"question_id": ("20", "30")}
    run = retriever.search([query], 9, allowed=retriever.snapshot.filter(some))["q"]
    assert [doc for doc, _ in run] == ["3", "2"]
    for doc_id, score in run:
        assert retriever.explain(query, doc_id, allowed=retriever.snapshot.filter(some)).value == score
    assert retriever.explain(query, "2").value > dict(run)["2"]


@every_case("weight", [-1.0, math.nan, math.inf])
def test_weights_out_of_range_are_refused(weight) -> None:
    with pytest.raises(ConfigError):
        Links(weight)
