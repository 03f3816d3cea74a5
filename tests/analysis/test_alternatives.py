"""Words of questions in the languages of an index."""

from __future__ import annotations

import pickle

from porism.analysis.analyzer import AnalysisConfig, Analyzer, WordForms
from porism.analysis.question_languages import reading_in
from porism.types import Content

BOTH = Analyzer(languages={"english": 3, "french": 1})


def test_a_word_has_a_term_in_each_language() -> None:
    assert BOTH.word_forms("The Cauchy idéaux") == [
        WordForms(0, 3, (None, "the")), WordForms(4, 10, ("cauchi", "cauchy")), WordForms(11, 17, ("ideaux", "ideal")),
    ]


def test_a_question_has_the_terms_of_all_languages_as_often_as_one_has_them() -> None:
    terms = BOTH.content_terms(Content("compact idéaux compact Cauchy"), ["words", "word-pairs"])
    assert terms["words"] == ["compact", "ideaux", "compact", "cauchi", "ideal", "cauchy"]
    assert terms["word-pairs"] == [
        "compact ideaux", "ideaux compact", "compact cauchi", "compact ideal", "ideal compact", "compact cauchy",
    ]


def test_a_document_has_those_of_its_own() -> None:
    content = Content("compact idéaux Cauchy")
    assert BOTH.content_terms(content, ["words"], "french")["words"] == ["compact", "ideal", "cauchy"]


def test_words_are_found_by_a_term_of_any_language() -> None:
    text = "Cauchy et ses idéaux"
    assert BOTH.matcher({"cauchi", "cauchy", "ideal"})(text) == [(0, 6, "cauchi"), (14, 20, "ideal")]


def test_channels_without_words_are_made_once() -> None:
    content = Content("a ≤ b ≤ c")
    assert BOTH.content_terms(content, ["symbols"]) == Analyzer().content_terms(content, ["symbols"])


def test_an_index_can_be_a_part_of_a_collection_in_more_languages() -> None:
    english = Analyzer()
    with reading_in({"english": 1, "french": 1}):
        assert english.content_terms(Content("Cauchy"), ["words"])["words"] == ["cauchi", "cauchy"]
    assert english.content_terms(Content("Cauchy"), ["words"])["words"] == ["cauchi"]


def test_workers_have_the_languages_too() -> None:
    copied = pickle.loads(pickle.dumps(Analyzer(AnalysisConfig(), lambda: {"french": 2, "english": 1})))
    assert copied.languages == ("french", "english")
