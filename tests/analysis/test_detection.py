"""The language of a text, and of documents among others."""

from __future__ import annotations

from case_tables import every_case

from porism.analysis.detection import detect, detect_question
from porism.analysis.document_languages import languages_of
from porism.analysis.languages import read_choice
from porism.types import Content, Document

STATEMENTS = {
    "english": "Let be a compact space. Then every continuous function on it is bounded.",
    "french": "Soit un espace compact. Toute suite de cet espace admet une sous-suite convergente.",
    "german": "Jede stetige Funktion auf einem kompakten Intervall ist beschränkt.",
    "spanish": "Toda sucesión acotada de números reales tiene una subsucesión convergente.",
    "italian": "Sia uno spazio compatto. Ogni funzione continua è limitata.",
    "portuguese": "Toda função contínua em um intervalo fechado é limitada.",
    "dutch": "Elke continue functie op een compacte ruimte is begrensd.",
    "russian": "Пусть это компактное пространство. Тогда любая непрерывная функция ограничена.",
    "ukrainian": "Нехай простір є компактним. Тоді кожна неперервна функція обмежена.",
    "bulgarian": "Нека функцията е непрекъсната. Тогава тя е ограничена в интервала.",
    "polish": "Niech będzie przestrzenią zwartą. Wtedy każda funkcja ciągła jest ograniczona.",
    "czech": "Nechť je kompaktní prostor. Pak každá spojitá funkce je omezená.",
    "swedish": "Varje kontinuerlig funktion på ett kompakt rum är begränsad.",
    "danish": "Lad være et kompakt rum. Så er enhver kontinuert funktion begrænset.",
    "finnish": "Olkoon kompakti avaruus. Silloin jokainen jatkuva funktio on rajoitettu.",
    "hungarian": "Legyen kompakt tér. Ekkor minden folytonos függvény korlátos.",
    "romanian": "Fie un spațiu compact. Atunci orice funcție continuă este mărginită.",
    "turkish": "Kompakt bir uzay olsun. Her sürekli fonksiyon sınırlıdır.",
    "greek": "Έστω συμπαγής χώρος. Κάθε συνεχής συνάρτηση είναι φραγμένη.",
    "hebrew": "יהי מרחב קומפקטי. כל פונקציה רציפה היא חסומה.",
    "arabic": "ليكن فضاء متراصا. كل دالة مستمرة هي محدودة.",
    "persian": "هر تابع پیوسته روی این فضا کراندار است.",
    "chinese": "设 X 是紧空间，则任意连续函数有界。",
    "japanese": "コンパクト空間上の連続関数は有界である。",
    "korean": "콤팩트 공간 위의 연속 함수는 유계이다.",
    "thai": "ฟังก์ชันต่อเนื่องบนปริภูมิกระชับมีขอบเขต",
}


@every_case("language", STATEMENTS)
def test_one_sentence_tells_its_language(language: str) -> None:
    found = detect(STATEMENTS[language])
    assert found is not None
    assert found.language == language


@every_case("text", [
    "", "Lemma 3", "variable {K L M N : Type*} [CommSemiring K]", "theorem sub_le (a b c d : ℝ) : a - b ≤ c - d := by",
    "α β γ", "\\documentclass[a4paper]{article} \\usepackage{amsmath}",
])
def test_what_does_not_say_has_no_language(text: str) -> None:
    assert detect(text) is None


def test_names_do_not_make_a_text_french() -> None:
    assert detect("The theorem of de la Vallée Poussin is a proof of the prime number theorem.") == ("english", True)


def test_only_some_languages_can_be_asked_for() -> None:
    assert detect(STATEMENTS["ukrainian"], ("russian", "english")) == ("russian", True)
    assert detect(STATEMENTS["spanish"], ("french", "german")) is None


@every_case(("question", "language"), [
    ("suites de fonctions continues", "french"), ("sequences of continuous functions", "english"),
    ("stetige Funktionen auf einem Intervall", "german"), ("предел функции", "russian"), ("紧空间", "chinese"),
    ("Hilbert", None),
])
def test_the_language_of_a_question_is_one_of_the_index(question: str, language: str | None) -> None:
    assert detect_question(question, ("english", "french", "german", "russian", "chinese")) == language


def _document(doc_id: str, text: str, **metadata: str) -> Document:
    return Document(doc_id, {"body": Content(text)}, metadata)


def test_a_document_that_does_not_say_is_in_the_language_of_its_file() -> None:
    documents = [
        _document("1", STATEMENTS["french"], source="notes", file="a.tex"),
        _document("2", "Théorème 3", source="notes", file="a.tex"),
        _document("3", STATEMENTS["english"], source="notes", file="b.tex"),
        _document("4", "Theorem 3", source="notes", file="b.tex"),
        _document("5", STATEMENTS["english"], source="notes", file="c.tex"),
        _document("6", "Satz 3", source="other", file="d.tex"),
    ]
    assert languages_of(documents, read_choice("auto")) == [
        "french", "french", "english", "english", "english", "english",
    ]


def test_programs_are_in_the_language_of_the_texts_around() -> None:
    program = "def mon_pgcd(a, b):\n  while b and not a: a, b = b, a % b\n  for i in a: pass\n  else: return a"
    assert detect(program) is None
    documents = [
        _document("1", STATEMENTS["french"], source="all", file="cours/algo/a.tex"),
        _document("2", program, source="all", file="cours/algo/b.tex"),
        _document("3", STATEMENTS["english"], source="all", file="notes/c.md"),
        _document("4", "Theorem 3", source="all", file="notes/d.md"),
        _document("5", STATEMENTS["english"], source="all", file="e.md"),
        _document("6", "Theorem 3", source="all", file="other/f.md"),
    ]
    assert languages_of(documents, read_choice("auto")) == [
        "french", "french", "english", "english", "english", "english",
    ]


def test_what_is_hardly_said_yields_to_the_texts_around() -> None:
    """`deg` (you) and `min` (my) are words of Norwegian, and names in a library that is in English."""
    name = "Deg 1 Lift inf apply: min x y = inf x y"
    assert detect(name) == ("norwegian", False)
    declaration = _document("2", name, source="lib", file="b.lean")
    for language in ("english", "danish"):
        sure = _document("1", STATEMENTS[language], source="lib", file="a.lean")
        assert languages_of([sure, declaration], read_choice("auto")) == [language, language]


def test_a_document_can_say_its_language() -> None:
    documents = [
        _document("1", STATEMENTS["english"], language="de-AT"), _document("2", "x", language="Lean", source="lean"),
    ]
    assert languages_of(documents, read_choice("auto")) == ["german", "english"]
    assert languages_of(documents, read_choice("french")) == ["french", "french"]
