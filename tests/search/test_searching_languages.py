"""Questions in any language to an index of documents in several."""

from __future__ import annotations

import pytest
from case_tables import every_case

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.errors import IndexVersionError
from porism.index import info
from porism.search.index import open_index
from porism.search.sources.indexing import index_documents
from porism.types import Content, Document

TEXTS = {
    "fr": "Soit une suite de fonctions continues. On démontre que la limite uniforme est encore continue.",
    "fr-ideals": "Les idéaux premiers d'un anneau sont les noyaux de morphismes vers un corps : une œuvre de Krull.",
    "de": "Die kompakten Räume sind genau diejenigen, in denen jede Überdeckung eine endliche Teilüberdeckung hat.",
    "ru": "Пусть это группа. Тогда для любой непрерывной функции на ней есть среднее значение.",
    "zh": "设 X 是紧空间的闭子集，则它也是紧的。",
    "ja": "コンパクト空間の上の連続関数は一様連続である。",
    "ko": "콤팩트 공간에서 모든 수열은 수렴하는 부분수열을 가진다.",
    "th": "ทุกฟังก์ชันต่อเนื่องบนปริภูมิกระชับมีขอบเขต",
    "en": "Every sequence of points in a compact space has a subsequence that converges, by the lemma of de Rham.",
    "en-plus": "The plus construction of Quillen changes the fundamental group and the homotopy of a space.",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An index of one document in each of several languages."""
    path = tmp_path_factory.mktemp("languages") / "index"
    index_documents([Document(name, {"body": Content(text)}) for name, text in TEXTS.items()], path, jobs=1)
    return path


@pytest.fixture(scope="module")
def index(folder):
    with open_index(folder) as opened:
        yield opened


@every_case(("question", "found"), [
    ("limite d'une suite de fonctions", "fr"), ("fonction continue", "fr"), ("idéal premier", "fr-ideals"),
    ("oeuvre", "fr-ideals"), ("kompakter Raum", "de"), ("Überdeckungen", "de"), ("непрерывные функции", "ru"),
    ("группы", "ru"), ("紧空间", "zh"), ("緊空間", "zh"), ("閉部分集合の連続関数", "ja"), ("コンパクト", "ja"),
    ("부분수열", "ko"), ("공간", "ko"), ("ฟังก์ชัน", "th"), ("ปริภูมิ", "th"), ("convergent subsequences", "en"),
    ("sequences of points", "en"), ("plus construction", "en-plus"), ("集", "zh"),
])
def test_a_question_finds_the_document_of_its_language(index, question: str, found: str) -> None:
    assert index.search(question, 1)[0].id == found


def test_the_index_says_which_languages_it_has(folder) -> None:
    counts = info(folder).languages
    assert counts == {
        "english": 2, "french": 2, "german": 1, "russian": 1, "chinese": 1, "japanese": 1, "korean": 1, "thai": 1,
    }
    assert next(iter(counts.values())) == 2


def test_an_index_says_whether_languages_were_stated_or_detected(tmp_path) -> None:
    stated = {"de": "german", "fr": "fr", "en": "en"}
    documents = [
        Document(name, {"body": Content(text)}, {"language": stated[name]} if name in stated else {})
        for name, text in TEXTS.items() if name in ("fr", "fr-ideals", "de", "ru", "en", "en-plus")
    ]
    report = index_documents(documents, tmp_path / "index", jobs=1)
    origins = {
        "english": {"stated": 1, "detected": 1}, "french": {"stated": 1, "detected": 1}, "german": {"stated": 1},
        "russian": {"detected": 1},
    }
    assert info(tmp_path / "index").language_origins == report.language_origins == origins
    assert report.languages == {"english": 2, "french": 2, "german": 1, "russian": 1}
    report = index_documents(documents, tmp_path / "all", config=AnalysisConfig(language="fr"), jobs=1)
    assert report.language_origins == {"french": {"stated": 6}}
    report = index_documents(documents[:1], tmp_path / "none", config=AnalysisConfig(language="none"), jobs=1)
    assert report.language_origins == {"none": {"stated": 1}}


def test_a_document_from_an_index_keeps_the_origin_of_its_language(tmp_path) -> None:
    documents = [Document("fr", {"body": Content(TEXTS["fr"])})]
    index_documents(documents, tmp_path / "index", jobs=1)
    with open_index(tmp_path / "index") as index:
        report = index_documents([index.document("fr")], tmp_path / "copy", jobs=1)
    assert report.language_origins == {"french": {"detected": 1}}


def test_an_index_of_an_older_version_does_not_say_the_origin(tmp_path, monkeypatch) -> None:
    """Its documents have their language, but not ``language_origin``."""
    monkeypatch.setattr("porism.analysis.document_languages.LANGUAGE_ORIGIN", "other")
    report = index_documents([Document("fr", {"body": Content(TEXTS["fr"])})], tmp_path / "index", jobs=1)
    assert report.language_origins == {"french": {"": 1}}


def test_documents_of_one_language_can_be_asked_for(index) -> None:
    assert {hit.id for hit in index.search("language:french limite Krull", 10)} == {"fr", "fr-ideals"}


def test_stop_words_are_those_of_the_language_of_the_question(index) -> None:
    """`de` says nothing in French, and is a part of a name in English."""
    assert [hit.id for hit in index.search("la limite de la suite", 10)] == ["fr"]


def test_matches_are_marked_as_they_are_written(index) -> None:
    def marked(question: str, doc_id: str) -> list[str]:
        pieces = index.marked(question, doc_id)["body"][0].pieces
        return [piece.text for piece in pieces if piece.match]

    assert marked("紧空间", "zh") == ["紧空间", "紧"]
    assert marked("непрерывная функция", "ru") == ["непрерывной", "функции"]
    assert marked("kompakter Raum", "de") == ["kompakten", "Räume"]
    assert marked("oeuvres", "fr-ideals") == ["œuvre"]


@every_case(("question", "found"), [
    ('"紧空间的闭子集"', ["zh"]), ('"空间紧"', []), ('"공간에서"', ["ko"]), ('"limite uniforme"', ["fr"]),
    ("body:Räumen kompakt", ["de"]), ("body:функциями группа", ["ru"]), ("body:紧空间 闭", ["zh"]),
])
def test_phrases_and_fields_are_conditions_in_every_language(index, question: str, found: list[str]) -> None:
    assert [hit.id for hit in index.search(question, 10)] == found


def test_scores_are_explained_by_the_terms_of_the_language(index) -> None:
    assert "'непрерывн'" in str(index.explain("непрерывные", "ru"))


def test_slips_are_noticed_in_every_language(index) -> None:
    assert any("fonctions" in hint for hint in index.hints("fonctoins"))
    assert not index.hints("fonction continue")


def test_what_is_asked_for_is_not_detected(tmp_path) -> None:
    documents = [Document(name, {"body": Content(text)}) for name, text in TEXTS.items()]
    index_documents(documents, tmp_path / "german", config=AnalysisConfig(language="de"), jobs=1)
    with open_index(tmp_path / "german") as index:
        assert index.analyzer.languages == ("german",)
        assert "language" not in index.document("fr").metadata
    index_documents(documents, tmp_path / "two", config=AnalysisConfig(language="fr,en"), jobs=1)
    with open_index(tmp_path / "two") as index:
        assert set(index.analyzer.languages) == {"french", "english"}


def test_a_new_language_is_read_as_soon_as_its_documents_are_there(tmp_path) -> None:
    path = tmp_path / "index"
    index_documents([Document("en", {"body": Content(TEXTS["en"])})], path, jobs=1)
    with open_index(path) as index:
        assert index.analyzer.languages == ("english",)
    index_documents([Document("ru", {"body": Content(TEXTS["ru"])})], path, jobs=1)
    with open_index(path) as index:
        assert index.analyzer.languages == ("english", "russian")
        assert index.search("непрерывные функции", 1)[0].id == "ru"


def test_what_does_not_say_is_in_the_usual_language_of_the_index(tmp_path) -> None:
    path = tmp_path / "index"
    index_documents([Document(name, {"body": Content(TEXTS[name])}) for name in ("fr", "fr-ideals")], path, jobs=1)
    index_documents([Document("title", {"body": Content("Théorème des accroissements finis")})], path, jobs=1)
    with open_index(path) as index:
        assert index.document("title").metadata["language"] == "french"


def test_a_stated_language_is_kept_by_its_name(tmp_path) -> None:
    stated = Document("1", {"body": Content("Gruppen")}, {"language": "de-AT"})
    index_documents([stated], tmp_path / "index", jobs=1)
    with open_index(tmp_path / "index") as index:
        assert index.document("1").metadata["language"] == "german"
        assert [hit.id for hit in index.search("Gruppe", 1)] == ["1"]


def test_an_index_of_another_analysis_is_refused() -> None:
    stored = {**AnalysisConfig().to_dict(), "version": 1}
    with pytest.raises(IndexVersionError, match="Index the collection again"):
        AnalysisConfig.from_dict(stored)


def test_english_alone_is_read_once() -> None:
    content = Content("Compact spaces and the closed sets in them")
    analyzer = Analyzer()
    assert analyzer.content_terms(content) == analyzer.content_terms(content, language="english")


def test_a_language_of_hardly_any_document_is_read_where_the_question_is_in_it() -> None:
    content, french = Content("Compact spaces"), Content("les espaces compacts")
    analyzer = Analyzer(languages={"english": 5_000, "french": 2})
    assert analyzer.content_terms(content) == Analyzer().content_terms(content)
    assert "espac" in analyzer.content_terms(french)["words"]
    both = Analyzer(languages={"english": 50, "french": 2}).content_terms(Content("fonctions bornées"))["words"]
    assert both == ["fonction", "borne", "born"]
