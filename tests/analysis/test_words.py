"""Words of a text."""

from __future__ import annotations

import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.analysis.folding import fold
from porism.analysis.words import Word, WordAnalyzer
from porism.errors import ConfigError


def test_words_are_folded_stemmed_and_stop_words_dropped() -> None:
    analyzer = WordAnalyzer()
    assert analyzer.terms("The Möbius functions AREN'T multiplicatively closed") == [
        "mobius", "function", "multipl", "close",
    ]


def test_hyphens_underscores_and_digits_separate_as_readers_expect() -> None:
    analyzer = WordAnalyzer(language="none", stop_words="none")
    assert analyzer.terms("Cauchy-Schwarz 3rd_order 2021") == ["cauchy", "schwarz", "3rd", "order", "2021"]


def test_other_languages() -> None:
    assert WordAnalyzer(language="german", stop_words="none").terms("Gleichungen") == ["gleichung"]


def test_places_point_into_the_text() -> None:
    text = "The Erdős numbers"
    words = WordAnalyzer().words(text)
    assert words == [Word(0, 3, None), Word(4, 9, "erdo"), Word(10, 17, "number")]
    assert [text[word.start : word.end] for word in words] == ["The", "Erdős", "numbers"]


def test_very_long_runs_are_cut() -> None:
    assert WordAnalyzer(language="none").terms("z" * 1000) == ["z" * 64]


@every_case(("arguments", "message"), [
    ({"language": "klingon"}, "no stemmer for the language 'klingon'"),
    ({"stop_words": "many"}, "no stop word list 'many'"),
])
def test_unknown_settings_are_refused(arguments, message) -> None:
    with pytest.raises(ConfigError, match=message):
        WordAnalyzer(**arguments)


@given(st.text())
def test_terms_agree_with_words(text: str) -> None:
    analyzer = WordAnalyzer()
    assert analyzer.terms(text) == [word.term for word in analyzer.words(text) if word.term is not None]


@given(st.text(alphabet=st.characters(categories=["L"])))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@every_case(("text", "terms"), [
    ("Finset.sum_comm", ["finset", "sum", "comm", "finset.sum_comm", "sum_comm"]),
    ("isOpen_iff", ["isopen_iff", "isopen", "open", "iff"]),
    ("fooBar₂", ["foo", "bar2", "foobar2"]),
    ("CWComplex T2Space ZMod", ["cw", "complex", "cwcomplex", "t2", "space", "t2space", "z", "mod", "zmod"]),
    ("the PDEs, GCD and 3D of LaTeX", ["pdes", "gcd", "3d", "la", "te", "x", "latex"]),
    ("a limit.Then 3.14, e.g. x_1", ["limit", "limit.then", "3", "14", "e", "g", "x", "1"]),
    ("plain words stay", ["plain", "word", "stay"]),
])
def test_identifiers_are_split_and_kept_whole(text: str, terms: list[str]) -> None:
    assert sorted(WordAnalyzer(identifiers=True).terms(text)) == sorted(terms)


def test_parts_stand_side_by_side_without_whole_names() -> None:
    assert WordAnalyzer(identifiers=True).parts("Finset.sum_comm holds") == ["finset", "sum", "comm", "hold"]


def test_a_whole_name_stands_before_its_parts() -> None:
    text = "see Finset.sum_comm"
    words = WordAnalyzer(identifiers=True).words(text)
    assert [(text[word.start : word.end], word.term) for word in words] == [
        ("see", "see"), ("Finset.sum_comm", "finset.sum_comm"), ("Finset", "finset"), ("sum_comm", "sum_comm"),
        ("sum", "sum"), ("comm", "comm"),
    ]


@given(st.text())
def test_identifiers_only_add_terms(text: str) -> None:
    """Whatever is found without them is found with them: no word of prose changes its term."""
    plain, split = WordAnalyzer(), WordAnalyzer(identifiers=True)
    assert set(plain.terms(text)) <= set(split.terms(text))


@given(st.text(alphabet="abAB1_. é₂"))
def test_terms_of_identifiers_agree_with_their_places(text: str) -> None:
    analyzer = WordAnalyzer(identifiers=True)
    assert sorted(analyzer.terms(text)) == sorted(
        word.term for word in analyzer.words(text) if word.term is not None
    )


@given(text=st.text(alphabet="aAbB_.1 Éé", max_size=40), every=st.integers(1, 3), identifiers=st.booleans())
def test_a_matcher_finds_the_words_of_its_terms(text: str, every: int, identifiers: bool) -> None:
    analyzer = WordAnalyzer(identifiers=identifiers)
    words = analyzer.words(text)
    terms = {word.term for word in words if word.term is not None and len(word.term) % every == 0}
    find = analyzer.matcher(terms)
    for _ in range(2):  # the second time its words are known
        assert find(text) == [(word.start, word.end, word.term) for word in words if word.term in terms]
