"""The documents themselves in an engine: what a program that knows nothing of Porism can show."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from export_cases import all_documents, change, document, write_index
from hypothesis import given
from hypothesis import strategies as st
from memory_backend import MemoryBackend

from porism.errors import EngineError
from porism.index import IndexWriter
from porism.search.sources.updating import index_sources, update_index
from porism.serve.backends.base import DOCUMENT_BYTES, Rows, SparseRows
from porism.serve.exported.exporting import export_index
from porism.serve.exported.lexical import DOCUMENTS
from porism.serve.exported.texts import TEXTS, shown_document
from porism.types import Content, Document, Formula


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return write_index(tmp_path / "index")


def shown(backend: MemoryBackend) -> dict[str, dict[str, object]]:
    """The documents that an engine has, by key."""
    found: dict[str, dict[str, object]] = {}
    for key, row in backend.rows[TEXTS].items():
        assert row.document is not None
        found[key] = json.loads(row.document)
    return found


def test_a_document_has_its_id_title_text_and_metadata(index: Path) -> None:
    backend = MemoryBackend()
    export_index(index, backend)
    assert shown(backend)["a1"] == {
        "id": "a1", "title": "rings and ideals of rings", "text": "here is $x^2+y^2$",
        "metadata": {"topic": "a", "tags": ["odd", "all"]},
    }
    assert shown(backend).keys() == backend.rows[DOCUMENTS].keys()


def test_fields_are_shown_as_they_are_stored() -> None:
    formulas = [Formula("a", display=True), Formula("<math><mi>b</mi></math>", "mathml")]
    found = json.loads(shown_document(Document("x", {
        "section": Content.of("Groups of order ", Formula("p")), "question": Content.of("Is ", formulas[0], "?"),
        "tags": Content("algebra"), "body": Content.of(formulas[1], " is."), "empty": Content(" "),
        "expansion": Content("which groups"),
    })))
    assert found["title"] == "Groups of order $p$"
    assert found["text"] == "Is $$a$$?\n\n<math><mi>b</mi></math> is."
    only = json.loads(shown_document(Document("x", {"tags": Content("algebra")})))
    assert (only["title"], only["text"]) == ("", "algebra")


@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30).map(lambda one: one * 5), max_size=6),
    st.integers(160, 400),
    st.dictionaries(st.sampled_from("abc"), st.text("x\\", max_size=200), max_size=2),
)
def test_a_long_document_is_cut_and_says_so(title: str, texts: list[str], most: int, metadata: dict[str, str]) -> None:
    parts = [Formula(one) if number % 2 else one for number, one in enumerate(texts)]
    content = Content.of(*parts)
    written = shown_document(Document("name", {"title": Content.of(title), "body": content}, metadata), most)
    found = json.loads(written)
    assert len(written) <= most
    assert found["id"] == "name"
    if "cut" not in found:
        assert found["text"] == (content.to_latex() if content else found["text"])
        assert found["metadata"] == metadata
        return
    assert found["cut"] is True
    assert Content.of(title).to_latex().startswith(found["title"])
    beginnings = {""}  # every place between characters, and none in a formula
    whole = ""
    for part in content.parts:
        one = part if isinstance(part, str) else Content.of(part).to_latex()
        beginnings |= {whole + one[:end] for end in range(len(one))} if isinstance(part, str) else set()
        whole += one
        beginnings.add(whole)
    assert found["text"] in beginnings or not content


def test_what_is_cut_is_as_much_as_fits() -> None:
    long = Document("x", {"body": Content.of("é\n" * 50_000)})
    written = shown_document(long)
    assert DOCUMENT_BYTES - 150 < len(written) <= DOCUMENT_BYTES
    assert json.loads(written)["text"] == ("é\n" * 50_000)[: len(json.loads(written)["text"])]
    formula = Document("x", {"body": Content.of("first ", Formula("a+" * 40_000), " last")})
    assert json.loads(shown_document(formula)) == {
        "id": "x", "title": "", "text": "first ", "metadata": {}, "cut": True
    }
    crowded = Document("\x01" * 20_000, {"body": Content("text")}, {"names": tuple(map(str, range(20_000)))})
    found = json.loads(shown_document(crowded))
    assert (found["text"], found["metadata"]) == ("text", {})
    assert len(shown_document(crowded)) <= DOCUMENT_BYTES


def test_documents_follow_updates(index: Path) -> None:
    backend = MemoryBackend()
    export_index(index, backend)
    other = replace(all_documents()[3], metadata={"topic": "z"})
    change(index, [document("a2", "no longer the same"), document("d1", "new"), other], delete=["c1"])
    report = export_index(index, backend)
    assert report.tables[TEXTS] == (8, 3, 1)
    assert backend.sent[TEXTS][8:] == ["a2", "d1", "b1"]
    assert backend.removed[TEXTS] == ["c1"]
    found = shown(backend)
    assert (found["a2"]["title"], found["b1"]["metadata"]) == ("no longer the same", {"topic": "z"})
    assert "c1" not in found
    change(index, merge=True)
    assert export_index(index, backend).tables[TEXTS] == (8, 0, 0)
    assert export_index(index, backend, refresh=True).tables[TEXTS] == (8, 0, 0)
    backend.rows[TEXTS]["a3"].stamp += 1
    del backend.rows[TEXTS]["a1"]
    assert export_index(index, backend).tables[TEXTS] == (8, 2, 0)


def test_documents_that_only_move_in_their_files_are_not_sent(tmp_path: Path) -> None:
    notes, index = tmp_path / "notes", tmp_path / "index"
    notes.mkdir()
    file = notes / "rings.md"
    ring, ideal = (f"# {name}\n\nHere is $a+b$ {'and more ' * 400}\n\n" for name in ("Rings", "Ideals"))
    file.write_text(ring + ideal, encoding="utf-8")
    index_sources([notes], index, jobs=1)
    backend = MemoryBackend()
    assert export_index(index, backend).tables[TEXTS] == (2, 2, 0)
    found = next(one for one in shown(backend).values() if one["title"] == "Ideals")
    assert isinstance(found["metadata"], dict)
    assert found["metadata"]["file"] == "rings.md"
    file.write_text(f"{ring}There is more.\n\n{ideal}", encoding="utf-8")
    update_index(index, jobs=1)
    for merge in (False, True):
        if merge:
            with IndexWriter(index) as writer:
                writer.merge()
        report = export_index(index, backend)
        assert report.tables == dict.fromkeys((DOCUMENTS, TEXTS), (2, 0 if merge else 1, 0))
    backend.sent.clear()
    assert export_index(index, backend, verify=True).tables[TEXTS] == (2, 0, 0)


def test_documents_are_left_out_and_taken_in_again(index: Path) -> None:
    backend = MemoryBackend()
    for documents, there in ((False, False), (None, False), (True, True), (None, True), (False, False), (None, False)):
        report = export_index(index, backend, documents=documents)
        assert (TEXTS in report.tables) == (TEXTS in backend.rows) == there
    assert TEXTS in export_index(index, backend, again=True).tables


def test_a_choice_outlives_an_export_that_was_stopped(index: Path) -> None:
    backend = MemoryBackend(refuse_after=4)
    with pytest.raises(EngineError, match="refuses"):
        export_index(index, backend, documents=False)
    backend.refuse_after = None
    assert TEXTS not in export_index(index, backend).tables


def test_rows_are_taken_with_their_documents() -> None:
    vectors = SparseRows(np.arange(4), np.zeros(3, np.int64), np.ones(3, np.float32))
    numbers = np.arange(3)
    rows = Rows(["a", "b", "c"], numbers, numbers, [numbers] * 3, vectors, [b"{}", b'{"id":"b"}', b"[]"])
    assert rows.take(np.array([2, 1])).documents == [b"[]", b'{"id":"b"}']
