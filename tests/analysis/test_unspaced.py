"""Words of scripts without blanks."""

from __future__ import annotations

import unicodedata

from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.analysis.unspaced import spans
from porism.analysis.words import WordAnalyzer

ANALYZER = WordAnalyzer("none", "none", identifiers=True)


@every_case(("run", "pairs"), [
    ("紧空间", ["紧空", "空间"]),
    ("群", ["群"]),
    ("コンパクト空間は", ["コン", "ンパ", "パク", "クト", "空間", "は"]),
    ("ﾊﾟｸﾄ", ["ﾊﾟｸ", "ｸﾄ"]),
    ("공간은", ["공간", "간은"]),
    ("เซตเปิด", ["เซต", "ตเปิ", "เปิด"]),
    ("សំណុំ", ["សំណុំ"]),
    ("ລຳດັບ", ["ລຳດັ", "ດັບ"]),
    ("အစုဖွင့်", ["အစု", "စုဖွ", "ဖွင့်"]),
    ("p進L関数", ["p", "進", "L", "関数"]),
])
def test_characters_are_paired_within_a_script(run: str, pairs: list[str]) -> None:
    assert [run[start:end] for start, end in spans(run, alone=False)] == pairs


def test_each_character_is_a_word_too() -> None:
    assert [("紧空间"[start:end]) for start, end in spans("紧空间")] == ["紧空", "紧", "空间", "空", "间"]


def test_a_decomposed_syllable_is_one_character() -> None:
    decomposed = unicodedata.normalize("NFD", "공간")
    assert ANALYZER.terms(decomposed) == ANALYZER.terms("공간") == ["공간", "공", "간"]


@every_case(("word", "sentence"), [
    ("紧空间", "设 X 是紧空间的闭子集，则它也是紧的。"),
    ("群", "有限群的子群"),
    ("緊空間", "每個紧空间都是完备的"),
    ("コンパクト", "局所コンパクトハウスドルフ空間上の測度"),
    ("位相空間", "この位相空間は連結である"),
    ("위상공간", "모든 위상공간은 연결이다"),
    ("공간", "위상공간에서 콤팩트"),
    ("ปริภูมิ", "ในปริภูมิเมตริกทุกลำดับ"),
    ("L函数", "狄利克雷L函数的零点"),
])
def test_a_word_is_found_in_a_sentence(word: str, sentence: str) -> None:
    assert set(ANALYZER.terms(word)) <= set(ANALYZER.terms(sentence))


def test_words_that_follow_one_another_are_pairs() -> None:
    assert ANALYZER.parts("紧空间 X") == ["紧空", "空间", "x"]


@given(st.text(alphabet="紧空间コンは공간เซตที่abA1_ \u0301\u200b", max_size=20))
def test_all_of_a_run_is_covered(run: str) -> None:
    words = ANALYZER.words(run)
    assert sorted(ANALYZER.terms(run)) == sorted(word.term for word in words if word.term is not None)
    covered = {place for word in words for place in range(word.start, word.end)}
    assert all(place in covered for place, character in enumerate(run) if character.isalnum())
