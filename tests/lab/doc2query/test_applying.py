"""Expansions come into an index and go out of it, and leave no trace."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from long_forms import LONG_ONLY

from porism.errors import IndexNotFound, Problem
from porism.index import IndexWriter, Snapshot
from porism.index.documents import StoredDocuments
from porism.lab.doc2query import (
    EXPANDED_BY,
    EXPANSION_FIELD,
    DocumentExpander,
    DocumentExpansion,
    ExpansionFile,
    ExpansionSettings,
    ExpansionWriter,
    apply_expansions,
    document_text,
    expand_documents,
    expanded,
    is_expanded,
    remove_expansions,
    unexpanded,
)
from porism.lab.doc2query.fields import source_text
from porism.lab.doc2query.store import text_digest
from porism.retrieve import DEFAULT_MODEL, SearchModel
from porism.search.index import open_index
from porism.search.sources.indexing import index_documents
from porism.types import Content, Document, Formula

QUESTIONS = ("why does $\\sum 1/n^2$ converge?", "continuous functions on an interval", "prime numbers $p \\mid ab$")


def write(path: Path, documents: list[Document], queries: list[str], fields: tuple[str, ...] = ()) -> ExpansionFile:
    with ExpansionWriter(path, "a-model", ExpansionSettings(fields=fields)) as writer:
        writer.add([
            DocumentExpansion(one.id, text_digest(source_text(one, fields)), tuple(queries)) for one in documents
        ])
    return ExpansionFile(path)


def stored(path: Path) -> dict[str, bytes]:
    with Snapshot.open(path) as snapshot:
        return {
            segment.doc_id(doc): segment.stored(doc)
            for segment in snapshot.segments for doc in range(segment.doc_count) if segment.live[doc]
        }


def answers(path: Path, model: SearchModel = DEFAULT_MODEL) -> list[list[tuple[str, float, str]]]:
    with open_index(path, model) as index:
        return [
            [(one.id, one.score, str(one.snippet)) for one in index.search(question, 50)] for question in QUESTIONS
        ]


def test_queries_become_a_field_with_formulas() -> None:
    document = Document("d", {"body": Content("text")}, {"kind": "note"})
    found = expanded(document, ["what is $x^2$", "costs $5 and", "$$y$$?"], "m")
    assert found.fields[EXPANSION_FIELD] == Content.of(
        "what is ", Formula("x^2"), "\ncosts $5 and\n", Formula("y", display=True), "?"
    )
    assert found.metadata == {"kind": "note", EXPANDED_BY: "m"}
    assert is_expanded(found)
    assert unexpanded(found) == document
    assert expanded(found, ["other"], "n") == expanded(document, ["other"], "n")
    assert expanded(found, [], "n") == document


def test_what_a_model_reads_is_the_document_without_its_queries() -> None:
    mathml = Formula("<math><msup><mi>x</mi><mn>2</mn></msup></math>", "mathml")
    document = Document("d", {"title": Content.of("A ", mathml), "empty": Content(" "), "body": Content("b")})
    assert document_text(document) == "A $x^{2}$\nb"
    assert document_text(document, ("body", "title")) == "A $x^{2}$\nb"
    assert document_text(document, ("body",)) == "b"
    assert document_text(expanded(document, ["query"], "m")) == "A $x^{2}$\nb"
    assert source_text(document, ("title",)) == "A <math><msup><mi>x</mi><mn>2</mn></msup></math>"


@LONG_ONLY
def test_expansions_are_found_and_removing_them_leaves_no_trace(tmp_path: Path, sample_index: Path) -> None:
    path = tmp_path / "index"
    shutil.copytree(sample_index, path)
    before, answered = stored(path), answers(path)
    with Snapshot.open(path) as snapshot:
        documents = list(StoredDocuments(snapshot))
    steps: list[tuple[int, int]] = []
    with write(tmp_path / "x.jsonl", documents[::3], ["gobbledygook about $\\zeta(3)$"]) as file:
        report = apply_expansions(path, file, jobs=1, on_progress=lambda *step: steps.append(step))
        assert (report.changed, report.unchanged) == (len(documents[::3]), len(documents) - len(documents[::3]))
        assert steps[-1] == (len(documents), len(documents))
        assert apply_expansions(path, file, jobs=1).changed == 0
    with open_index(path) as index:
        found = index.search("gobbledygook", 1000)
        assert {one.id for one in found} >= {one.id for one in documents[::3]}
        weightless = replace(DEFAULT_MODEL, field_weights={**DEFAULT_MODEL.field_weights, EXPANSION_FIELD: 0.0})
    with open_index(path, weightless) as index:
        assert len(index.search("gobbledygook", 1000)) == 0
    assert answers(path) != answered
    report = remove_expansions(path, jobs=1)
    assert report.changed == len(documents[::3])
    assert stored(path) == before
    assert answers(path) == answered
    assert remove_expansions(path, jobs=1).changed == 0


def test_a_changed_document_and_one_with_such_a_field_of_its_own_are_reported(tmp_path: Path) -> None:
    documents = [
        Document("same", {"body": Content("one")}), Document("changed", {"body": Content("two")}),
        Document("own", {"body": Content("three"), EXPANSION_FIELD: Content("of an equation")}),
    ]
    problems: list[Problem] = []
    with write(tmp_path / "x.jsonl", documents, ["query"]) as file:
        index_documents([documents[0], replace(documents[1], fields={"body": Content("new")}), documents[2]],
                        tmp_path / "index", jobs=1)
        before = stored(tmp_path / "index")
        report = apply_expansions(tmp_path / "index", file, jobs=1, on_problem=problems.append)
    assert (report.changed, report.unchanged, report.skipped) == (1, 0, 2)
    assert sorted(one.where for one in problems) == ["changed", "own"]
    remove_expansions(tmp_path / "index", jobs=1)
    assert stored(tmp_path / "index") == before


def test_sources_can_be_indexed_with_their_expansions(tmp_path: Path) -> None:
    documents = [Document("a", {"body": Content("one")}), Document("b", {"body": Content("two")})]
    with write(tmp_path / "x.jsonl", documents[:1], ["query"]) as file:
        index_documents(map(DocumentExpander(file), documents), tmp_path / "once", jobs=1)
        index_documents(documents, tmp_path / "twice", jobs=1)
        apply_expansions(tmp_path / "twice", file, jobs=1)
    assert stored(tmp_path / "once") == stored(tmp_path / "twice")


def test_what_goes_wrong_in_the_midst_leaves_the_index_as_it_was(tmp_path: Path, monkeypatch) -> None:
    documents = [Document(str(number), {"body": Content(f"text {number}")}) for number in range(5)]
    index_documents(documents, tmp_path / "index", jobs=1)
    before = stored(tmp_path / "index")
    with write(tmp_path / "x.jsonl", documents, ["query"]) as file:
        def stop(done: int, total: int) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            apply_expansions(tmp_path / "index", file, jobs=1, on_progress=stop)
        assert stored(tmp_path / "index") == before
        with monkeypatch.context() as patch:
            patch.setattr(IndexWriter, "commit", lambda self, before_publish=None: stop(0, 0))
            with pytest.raises(KeyboardInterrupt):
                apply_expansions(tmp_path / "index", file, jobs=1)
        assert stored(tmp_path / "index") == before
        assert apply_expansions(tmp_path / "index", file, jobs=1).changed == 5
        with pytest.raises(IndexNotFound):
            apply_expansions(tmp_path / "none", file)
    with Snapshot.open(tmp_path / "index") as snapshot:
        snapshot.verify()


def test_documents_of_an_index_and_of_its_source_have_the_same_digest(tmp_path: Path, canned) -> None:
    documents = [
        Document("lone \ud800", {"body": Content.of("a \ud800 ", Formula("x"), " b")}),
        Document("m", {"body": Content.of(Formula("<math><mi>x</mi></math>", "mathml"))}),
    ]
    index_documents(documents, tmp_path / "index", jobs=1)
    expand_documents(documents, canned(), tmp_path / "x.jsonl")
    with Snapshot.open(tmp_path / "index") as snapshot, ExpansionFile(tmp_path / "x.jsonl") as file:
        report = expand_documents(StoredDocuments(snapshot), canned(), tmp_path / "x.jsonl")
        assert (report.already, report.documents) == (2, 0)
        expander = DocumentExpander(file)
        assert [is_expanded(expander(document)) for document in documents] == [True, True]
