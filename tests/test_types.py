"""Values keep their invariants."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.analysis.documents import dump_document, load_document
from porism.types import PLACEHOLDER, Content, Document, Formula, Query

formulas = st.builds(
    Formula, st.text(), st.sampled_from(["latex", "mathml"]), st.none() | st.text(), st.none() | st.text(),
    st.booleans(),
)
contents = st.lists(st.text() | formulas, max_size=6).map(lambda parts: Content.of(*parts))


def test_content_keeps_formulas_in_place() -> None:
    content = Content.of("Let ", Formula("x^2"), " be ", Formula("y", display=True), ".")
    assert content.text == f"Let {PLACEHOLDER} be {PLACEHOLDER}."
    assert list(content.parts) == ["Let ", Formula("x^2"), " be ", Formula("y", display=True), "."]
    assert content.to_latex() == "Let $x^2$ be $$y$$."


def test_content_counts_placeholders() -> None:
    with pytest.raises(ValueError, match="1 placeholders for 0 formulas"):
        Content(PLACEHOLDER)


@given(contents)
def test_parts_rebuild_the_content(content: Content) -> None:
    assert Content.of(*content.parts) == content


def test_empty_content_is_false() -> None:
    assert not Content(" \n")
    assert Content.of(Formula(""))


def test_a_query_joins_its_fields() -> None:
    query = Query("q", {"title": Content("Sums"), "question": Content.of("Is ", Formula("1"), "?")})
    assert query.content == Content.of("Sums\n\nIs ", Formula("1"), "?")


clean = st.text(alphabet=st.characters(exclude_categories=["Cs"]))


@given(clean, st.dictionaries(clean, contents, max_size=3), st.dictionaries(clean, clean | st.tuples(clean, clean)))
def test_documents_survive_storage(doc_id, fields, metadata) -> None:
    document = Document(doc_id, fields, metadata)
    stored = dump_document(document)
    if "\ufffd" not in stored.decode("utf-8"):
        assert load_document(stored) == document


def test_lone_surrogates_are_replaced_when_stored() -> None:
    document = Document("a", {"body": Content.of("x\ud800 ", Formula("\\alpha\udfff"))})
    assert load_document(dump_document(document)).fields["body"] == Content.of("x\ufffd ", Formula("\\alpha\ufffd"))
