"""Links that documents of a shard name, looked up by the names of threads."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from porism.index import IndexWriter, Snapshot
from porism.retrieve.documents.links import Links
from porism.search.sources.indexing import index_documents
from porism.serve.shards.merging import link_gains
from porism.serve.shards.term_shard import StatedLinks
from porism.types import Content, Document


def document(number: int, thread: str, *linked: str) -> Document:
    return Document(f"d{number}", {"body": Content("x")}, {"question_id": thread, "linked": linked} if thread else {})


def test_links_of_two_segments_without_those_of_deleted_documents(tmp_path: Path) -> None:
    first = [document(0, "a", "b", "z"), document(1, "b"), document(2, ""), document(3, "c", "a")]
    index_documents(first, tmp_path, jobs=1)
    index_documents([document(4, "e", "c"), document(5, "a", "e")], tmp_path, jobs=1)
    with IndexWriter(tmp_path) as writer:
        writer.delete(["d3", "d1"])
    with Snapshot.open(tmp_path) as snapshot:
        assert len(snapshot.segments) == 2
        links = StatedLinks(snapshot.segments, Links())
        assert links.count == 4  # a-b, a-z, e-c, a-e; not c-a, which only d3 named
        assert sorted(links.links(["a"])) == [("a", "b"), ("a", "e"), ("a", "z")]
        assert sorted(links.links(["z", "c", "none", "c"])) == [("c", "e"), ("z", "a")]
        assert links.links([]) == []
        assert links.held(["a", "b", "c", "e", "z", "none"]) == ["a", "e"]
        places = [snapshot.segments[number].find(f"d{doc}") for number, doc in ((0, 0), (0, 2), (1, 4))]
        assert links.threads(np.array([0, 0, 1], np.int32), np.array(places, np.int32)) == ("a", None, "e")


def test_an_index_without_threads_has_no_links(tmp_path: Path) -> None:
    index_documents([document(0, "")], tmp_path, jobs=1)
    with Snapshot.open(tmp_path) as snapshot:
        links = StatedLinks(snapshot.segments, Links())
    assert (links.count, links.links(["a"]), links.held(["a"])) == (0, [], [])
    assert links.threads(np.array([0], np.int32), np.array([0], np.int32)) == ()


def test_gains_of_linked_threads_by_hand() -> None:
    scores = {"a": 3.0, "b": 2.0, "c": 0.0}
    links = [("a", "b"), ("b", "a"), ("a", "x"), ("a", "y"), ("a", "b"), ("c", "c"), ("x", "a")]
    gains = link_gains(Links(weight=0.5), scores, links, ["x"])
    assert gains == {"a": 0.5 * (2.0 + 0.0) / 2, "b": 0.5 * 3.0}  # y has no documents
