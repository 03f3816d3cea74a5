"""Spellings that count as one."""

from __future__ import annotations

import unicodedata

from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.analysis.folding import fold, spelling
from porism.analysis.words import WORD


@every_case(("written", "folded"), [
    ("Möbius", "mobius"), ("œuvre", "oeuvre"), ("Łojasiewicz", "lojasiewicz"), ("Straße", "strasse"),
    ("Erdős", "erdos"), ("Ærø", "aero"), ("Đoković", "dokovic"), ("kapalı", "kapali"), ("Þórður", "thordur"),
    ("ﬁeld", "field"), ("oﬀset", "offset"), ("ﬂat", "flat"),
    ("com\u00adpact", "compact"), ("com\u200bpact", "compact"), ("com\u2060pact", "compact"),
    ("Ｋ３", "k3"), ("ｺﾝﾊﾟｸﾄ", "コンパクト"), ("緊緻", "紧致"), ("関数", "关数"), ("공간", "공간"),
    ("ガロア", "ガロア"), ("ёлка", "елка"),
])
def test_spellings_that_count_as_one(written: str, folded: str) -> None:
    assert fold(written) == folded
    assert fold(unicodedata.normalize("NFD", written)) == folded


def test_marks_that_are_letters_of_their_script_stay() -> None:
    assert fold("カロア") != fold("ガロア")
    assert fold("ที่") == unicodedata.normalize("NFC", "ที่")


def test_a_spelling_keeps_its_accents() -> None:
    assert spelling("DE\u0301MON\u00adTRÉ") == "démontré"


@given(st.text(alphabet=st.characters(categories=["L", "M", "N"])))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@every_case("word", [
    "théore\u0301me", "com\u00adpact", "com\u200bpact", "co\u00ad\u200dmpact", "नियम", "ที่", "גְּבוּל", "e\u0301\u0302te"
])
def test_accents_and_invisible_characters_do_not_end_a_word(word: str) -> None:
    assert WORD.findall(f"an {word}, then") == ["an", word, "then"]
