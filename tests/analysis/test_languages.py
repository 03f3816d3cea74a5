"""Words in the forms of their languages."""

from __future__ import annotations

import pytest
from case_tables import every_case

from porism.analysis.languages import LANGUAGES, language_named, read_choice
from porism.analysis.words import WordAnalyzer
from porism.errors import ConfigError


@every_case(("language", "forms"), [
    ("french", ["démontrer", "démontré", "démontrée", "démontrées"]),
    ("french", ["idéal", "idéaux", "ide\u0301aux"]),
    ("french", ["résidu", "résidus"]),
    ("french", ["noyau", "noyaux"]),
    ("german", ["Theorem", "Theoreme", "Theoremen"]),
    ("german", ["Maximum", "Maxima"]),
    ("russian", ["теорема", "теоремы", "теорем"]),
    ("russian", ["число", "числа", "чисел"]),
    ("russian", ["подкольцо", "подкольца", "подколец"]),
    ("german", ["Räume", "Räumen", "Raum"]),
    ("german", ["stetige", "stetiger", "stetigen"]),
    ("german", ["Körper", "Koerper", "KOERPER", "Ko\u0308rper", "Körpers"]),
    ("german", ["Maß", "Mass", "Maßes"]),
    ("german", ["Räume", "Raeume", "Raeumen"]),
    ("german", ["gleichmäßig", "gleichmaessig", "gleichmaeßige"]),
    ("german", ["Residuum", "Residuen"]),
    ("ukrainian", ["зв'язний", "зв’язний", "звʼязний", "Зв'Язний"]),
    ("ukrainian", ["об'єкт", "обєкт"]),
    ("russian", ["непрерывная", "непрерывной", "непрерывные", "Непрерывных"]),
    ("russian", ["множество", "множества", "множеств"]),
    ("spanish", ["sucesión", "sucesiones"]),
    ("italian", ["successione", "successioni"]),
    ("portuguese", ["função", "funções"]),
    ("portuguese", ["espacial", "espaciais"]),
    ("dutch", ["verzameling", "verzamelingen"]),
    ("polish", ["funkcja", "funkcji", "funkcje"]),
    ("swedish", ["mängd", "mängden", "mängder"]),
    ("finnish", ["jatkuva", "jatkuvan", "jatkuvat"]),
    ("greek", ["συνάρτηση", "συναρτήσεις"]),
    ("turkish", ["kümeler", "kümelerin"]),
])
def test_forms_of_a_word_have_one_term(language: str, forms: list[str]) -> None:
    assert len({WordAnalyzer(language, "language").term(form) for form in forms}) == 1


@every_case(("language", "text", "terms"), [
    ("french", "l'espace d’un anneau", ["espac", "anneau"]),
    ("german", "Für jede Gruppe und ihren Kern", ["grupp", "kern"]),
    ("german", "fuer jede Quelle, die waehrend neuer Treue ueber Bauern muss", ["quell", "neu", "treu", "bau"]),
    ("ukrainian", "'простір' зв'язний, f'я", ["простір", "звязнии", "f"]),
    ("russian", "формула д'Аламбера и 'я'", ["формул", "д", "аламбер"]),
    ("russian", "Пусть это группа Hilbert spaces", ["групп", "hilbert", "space"]),
    ("chinese", "設 spaces", ["space"]),
    ("none", "Gruppen", ["gruppen"]),
])
def test_stop_words_are_those_of_the_language(language: str, text: str, terms: list[str]) -> None:
    assert WordAnalyzer(language, "language").terms(text) == terms


@every_case(("written", "name"), [
    ("French", "french"), ("fr", "french"), ("fr-CA", "french"), ("pt_BR", "portuguese"), ("zh-Hans", "chinese"),
    ("NB", "norwegian"), ("Lean", None), ("", None), ("frr", None),
])
def test_languages_are_named_by_names_and_codes(written: str, name: str | None) -> None:
    assert language_named(written) == name


def test_codes_name_one_language_each() -> None:
    codes = [code for language in LANGUAGES.values() for code in language.codes]
    assert len(codes) == len(set(codes))


@every_case(("setting", "fallback", "detected", "written"), [
    ("auto", "english", True, "auto"), ("none", "none", False, "none"), ("de", "german", False, "german"),
    ("fr, en", "french", True, "french,english"), ("Russian", "russian", False, "russian"),
])
def test_a_setting_says_which_languages_there_can_be(setting, fallback, detected, written) -> None:
    choice = read_choice(setting)
    assert (choice.fallback, choice.detected, choice.setting) == (fallback, detected, written)


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"'klingon' is not a known language.*french"):
        read_choice("fr,klingon")
