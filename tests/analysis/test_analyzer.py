"""From documents to columns of terms."""

from __future__ import annotations

from collections import Counter

import pytest
from case_tables import every_case

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.analysis.documents import load_document
from porism.analysis.term_columns import MAX_TERM_LENGTH, indexed_form
from porism.errors import ConfigError
from porism.types import Content, Document, Formula

CONFIG = AnalysisConfig(formulas=("tokens", "prefix"))


def row(matrix, number: int) -> Counter[str]:
    """One row of a term matrix as counts."""
    start, stop = matrix.indptr[number], matrix.indptr[number + 1]
    terms = [matrix.vocabulary[term] for term in matrix.terms[start:stop]]
    return Counter(dict(zip(terms, matrix.counts[start:stop].tolist(), strict=True)))


def test_words_are_counted_by_document_and_field() -> None:
    documents = [
        Document("a", {"title": Content("Prime numbers"), "body": Content("prime, prime powers")}),
        Document("b", {"body": Content("numbers")}),
    ]
    batch, problems = Analyzer(CONFIG).analyze(documents)
    words = batch.text["words"]
    assert problems == []
    assert batch.fields == ("title", "body")
    assert [row(words, number) for number in range(4)] == [
        {"prime": 1, "number": 1}, {"prime": 2, "power": 1}, {}, {"number": 1},
    ]
    assert row(batch.text["word-pairs"], 1) == {"prime prime": 1, "prime power": 1}


def test_pairs_of_words_keep_stop_words_and_end_at_formulas() -> None:
    content = Content.of("A ring ", Formula("R"), " is a prime ring.")
    assert Analyzer(CONFIG).content_terms(content, ["words", "word-pairs"]) == {
        "words": ["ring", "prime", "ring"], "word-pairs": ["a ring", "is a", "a prime", "prime ring"],
    }


def test_formulas_of_documents_that_mark_none_are_recognised_and_stay_words() -> None:
    documents = [
        Document("plain", {"body": Content("Then rank(A) + 1 = n holds.")}),
        Document("marked", {"title": Content("On A + B = C"), "body": Content.of("Then ", Formula("x"), ".")}),
    ]
    batch, problems = Analyzer(CONFIG).analyze(documents)
    assert problems == []
    assert batch.formula_sources == [r"\operatorname{rank}(A)+1=n", "x"]
    assert row(batch.formulas["tokens"], 0).keys() >= {"rank", "A", "+", "1", "=", "n"}
    assert row(batch.text["words"], 0) == {"rank": 1, "1": 1, "n": 1, "hold": 1}
    assert load_document(batch.stored[0]).with_terms_as_text() == documents[0]


def test_equal_formulas_are_one_row_and_keep_their_places() -> None:
    documents = [
        Document("a", {"body": Content.of("If ", Formula("x^2", id="7", visual_id="v"), " and ", Formula("y"), ".")}),
        Document("b", {"title": Content.of(Formula("x^{2}")), "body": Content.of(Formula("y"), Formula("y"))}),
    ]
    batch, _ = Analyzer(CONFIG).analyze(documents)
    assert batch.formula_sources == ["x^2", "y"]
    assert batch.formulas["tokens"].rows == 2
    found = list(zip(
        batch.occurrence_doc.tolist(), [batch.fields[field] for field in batch.occurrence_field],
        batch.occurrence_formula.tolist(), batch.occurrence_number.tolist(), strict=True,
    ))
    assert found == [
        (0, "body", 0, 0), (0, "body", 1, 1), (1, "body", 1, 0), (1, "body", 1, 1), (1, "title", 0, 0),
    ]
    assert batch.occurrence_id[0] == "7"
    assert batch.occurrence_visual_id == ["v", "", "", "", ""]


def test_what_was_not_understood_is_reported_with_document_and_position() -> None:
    batch, problems = Analyzer(CONFIG).analyze([Document("a", {"body": Content.of(Formula(r"x+\nosuchthing y"))})])
    assert len(batch.formula_sources) == 1
    assert problems[0].where == "a"
    assert "character 2" in problems[0].what
    assert "nosuchthing" in problems[0].what


def test_each_formula_is_reported_however_many_there_are() -> None:
    formulas = [Formula(rf"\nosuch{chr(97 + i % 26)}{chr(97 + i // 26)}") for i in range(500)]
    twice = Formula(r"\nosuch \norsuch")
    _, problems = Analyzer(CONFIG).analyze([Document("a", {"body": Content.of(*formulas, *formulas, twice)})])
    assert len(problems) == 501
    assert problems[-1].what.endswith(r"character 0: unknown command \nosuch (and 1 more problem)")


def test_lone_surrogates_do_not_reach_the_index() -> None:
    document = Document("\ud800", {"body": Content.of("w\udfff", Formula("\udc00+x"))}, {"tags": ("\ud800",)})
    batch, _ = Analyzer(CONFIG).analyze([document])
    assert batch.ids == ["\ufffd"]
    for matrix in [*batch.text.values(), *batch.formulas.values()]:
        "".join(matrix.vocabulary).encode("utf-8")
    "".join(batch.formula_keys).encode("utf-8")


def test_long_terms_are_indexed_by_beginning_and_digest() -> None:
    short, long = "x" * MAX_TERM_LENGTH, "x" * MAX_TERM_LENGTH + "y"
    assert indexed_form(short) == short
    assert len(indexed_form(long)) == MAX_TERM_LENGTH
    assert indexed_form(long) != indexed_form(long + "z")
    analyzer = Analyzer(AnalysisConfig(formulas=("subtrees",)))
    batch, _ = analyzer.analyze([Document("a", {"body": Content.of(Formula("a+b+c+d+e+f+g+h+i+j+k+l"))})])
    assert batch.formulas["subtrees"].vocabulary == analyzer.formula_terms(
        Formula("z+b+c+d+e+f+g+h+i+j+k+l")
    ).terms["subtrees"]
    assert len(batch.formulas["subtrees"].vocabulary[0]) == MAX_TERM_LENGTH


def test_an_empty_batch_is_empty() -> None:
    batch, problems = Analyzer(CONFIG).analyze([])
    assert (batch.ids, problems, batch.text["words"].rows, batch.formulas["tokens"].rows) == ([], [], 0, 0)


def test_configurations_survive_storage() -> None:
    config = AnalysisConfig(formulas=("tokens",), language="german", stop_words="none")
    assert AnalysisConfig.from_dict(config.to_dict()) == config


@every_case(("make", "message"), [
    (lambda: AnalysisConfig(formulas=("nothing",)), "no channel 'nothing'"),
    (lambda: AnalysisConfig(text=("letters",)), "no channel 'letters'"),
    (lambda: AnalysisConfig.from_dict({**CONFIG.to_dict(), "colour": 1}), "does not know: colour"),
])
def test_unknown_settings_are_refused(make, message) -> None:
    with pytest.raises(ConfigError, match=message):
        make()
