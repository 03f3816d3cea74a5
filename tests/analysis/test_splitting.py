"""Other ways to split text into words."""

from __future__ import annotations

from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.analysis.splitting import LUCENE_STOP_WORDS, lucene_words, plain_words, simple_words, whitespace_tokens


def test_plain_words_are_folded_and_all_there() -> None:
    assert plain_words("The Möbius functions of 12 rings") == ["the", "mobius", "functions", "of", "12", "rings"]


def test_simple_words_are_of_two_to_fifteen_letters() -> None:
    text = "A x-axis, 3D and R2D2; naïve _hidden a_b averylongwordnow averylongwordno"
    assert simple_words(text) == ["axis", "and", "naïve", "a_b", "averylongwordno"]


@every_case(
    ("text", "expected"),
    [
        ("The dog's tails", ["dog", "tail"]),
        ("the dogs’ O'Neil’s", ["dog", "o'neil"]),
        ("3.14 and 1,000 or a,b e.g. U.S.A.", ["3.14", "1,000", "b", "e.g", "u.s.a"]),
        (r"$\frac{a_1}{b^2}$ x-y", ["frac", "a_1", "b", "2", "x", "y"]),
        ("f:A is continuous", ["f:a", "continu"]),
        ("to be or not to be", ["or"][:0]),
        ("數學 x² ___ can't", ["數", "學", "x", "can't"]),
        ("", []),
    ],
)
def test_lucene_words(text: str, expected: list[str]) -> None:
    assert lucene_words(text) == expected


def test_lucene_words_are_cut_and_its_stop_words_are_thirty_three() -> None:
    assert [len(word) for word in lucene_words("7" * 600)] == [255, 255, 90]
    assert len(LUCENE_STOP_WORDS) == 33


def test_whitespace_tokens_keep_signs_and_are_stemmed() -> None:
    assert whitespace_tokens("Let $X^2 + y$ be\nContinuous functions; running") == [
        "let", "$x^2", "+", "y$", "be", "continu", "functions;", "run",
    ]


@given(st.text(max_size=60))
def test_any_text_gives_terms(text: str) -> None:
    for split in (plain_words, simple_words, lucene_words):
        assert all(term and not any(character.isspace() for character in term) for term in split(text))


def test_huge_text_takes_no_long_time_for_its_length() -> None:
    text = "a.b,c:d'e_f " * 100_000
    assert len(lucene_words(text)) == 200_000
    assert len(lucene_words("_" * 1_000_000)) == 0
    assert len(plain_words("x" * 1_000_000)) == 1
