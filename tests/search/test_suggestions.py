"""Words and values that may have been meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from case_tables import every_case

import porism
from porism.index.strings import Dictionary
from porism.search.suggestions import Suggestion, corrected
from porism.types import Content, Document


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """A frequent word, words of all kinds, and a slip in one document."""
    path = tmp_path_factory.mktemp("suggestions") / "index"
    bodies = [
        *["every theorem says that continuous functions on compact spaces are bounded"] * 150,
        "a theroem with a slip", "homomorphisms of Cauchy", "a conitnuous map of a torsor and a torso whcix",
    ]
    documents = [
        Document(str(number), {"body": Content(body)}, {"type": "theorem" if number % 2 else "lemma"})
        for number, body in enumerate(bodies)
    ]
    porism.index_documents(documents[:80], path)
    porism.index_documents(documents[80:], path)
    with porism.open_index(path) as opened:
        yield opened


@every_case(("question", "hint"), [
    ("the thorem", "did you mean 'the theorem'? No document has 'thorem'"),
    ("theroem", "did you mean 'theorem'? 1 have 'theroem', 150 have 'theorem'"),
    ("contnuous funtions", "did you mean 'continuous functions'? No document has 'contnuous' or 'funtions'"),
    ("homomorfism by Cauhcy", "did you mean 'homomorphisms by cauchy'? No document has 'homomorfism' or 'Cauhcy'"),
    ('title:x "compcat spaces" $compcat$', "no field"),
])
def test_misspelt_words_are_suggested(index, question: str, hint: str) -> None:
    if hint == "no field":
        question, hint = question[8:], "did you mean '\"compact spaces\" $compcat$'? No document has 'compcat'"
    assert index.hints(question) == [hint]


def test_words_that_occur_together_come_first(tmp_path: Path) -> None:
    bodies = [*["a catchy tune"] * 30, *["the Cauchy sequence"] * 3, *["a martini glass"] * 9, "Martinis of Cauchy"]
    porism.index_documents([Document(str(number), {"body": Content(body)}) for number, body in enumerate(bodies)],
                           tmp_path / "index")
    with porism.open_index(tmp_path / "index") as opened:
        meant = {text: opened.correction(text) for text in ("cachy", "cachy tune", "cachy sequence", "sequences")}
    assert [found and found.question for found in meant.values()] == [
        "catchy", "catchy tune", "cauchy sequence", None,
    ]
    assert all(found is None or found.sure for found in meant.values())


def test_only_words_that_no_document_has_are_surely_meant_otherwise(index) -> None:
    rare = index.correction("theroem")
    assert rare is not None
    assert (rare.question, rare.sure) == ("theorem", False)
    both = index.correction("theroem contnuous")
    assert both is not None
    assert (both.question, both.sure) == ("theroem continuous", True)


@every_case("question", [
    "theorem", "torsor", "torso", "zebra", "thm", "whcih theorem", "$thorem$", "2024", "homomorphism", "continuity",
])
def test_nothing_is_suggested_for_words_that_are_right_or_like_none(index, question: str) -> None:
    assert index.hints(question) == []


def test_for_common_words_the_vocabulary_is_not_read(index, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(self: Dictionary) -> None:
        raise AssertionError("all words were read")

    monkeypatch.setattr(Dictionary, "packed", read)
    with porism.open_index([index.folder]) as fresh:
        assert fresh.hints("every theorem on continuous functions") == []
        with pytest.raises(AssertionError, match="all words"):
            fresh.hints("thorem")


def test_the_query_itself_is_not_changed(index) -> None:
    assert [hit.id for hit in index.search("theroem", 200)] == ["150"] or len(index.search("theroem", 200)) < 200
    assert index.search("thorem", 5) == []


def test_words_are_replaced_whole() -> None:
    suggestions = [Suggestion("teh", "the", 0, 5)]
    assert corrected("teh tehran $teh$", suggestions) == "the tehran $teh$"


@every_case(("filters", "hints"), [
    ({"type": "theroem"}, ["no document has type=theroem. Did you mean theorem (76)? There is also lemma (77)."]),
    ({"type": "zebra"}, ["no document has type=zebra. There is lemma (77), theorem (76)."]),
    ({"type": ["theorem", "lema"]},
     ["no document has type=lema. Did you mean lemma (77)? There is also theorem (76)."]),
    ({"type": "theorem"}, []),
])
def test_values_that_no_document_has_are_named_with_the_nearest(index, filters, hints) -> None:
    assert index.hints("theorem", filters) == hints


def test_of_many_values_the_nearest_or_the_most_frequent_are_named(tmp_path: Path) -> None:
    documents = [
        Document(str(number), {"body": Content("x")}, {"tags": (f"tag-{number:02}", "algebra")}) for number in range(30)
    ]
    porism.index_documents(documents, tmp_path / "index")
    with porism.open_index(tmp_path / "index") as opened:
        (near,) = opened.hints("x", {"tags": "algebar"})
        assert near == "no document has tags=algebar. Did you mean algebra (30)?"
        (far,) = opened.hints("x", {"tags": "zebras"})
        assert far.startswith("no document has tags=zebras. The most frequent are algebra (30), tag-")
