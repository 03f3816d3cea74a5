"""The languages that texts are in: their names and codes, and how the words of each are stemmed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import Stemmer

from porism.errors import ConfigError

ENGLISH = "english"
AUTO = "auto"
"""As a setting: the language of each document is detected."""

NO_LANGUAGE = "none"
"""As a setting: words are not stemmed."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language. ``stemmer`` is its algorithm of Snowball, empty where there is none.

    ``latin`` is whether it is written in Latin letters: what texts in other letters have in Latin ones is stemmed as
    English. ``endings`` are replaced before a word is stemmed: those of forms that the stemmer keeps apart from others.
    So are ``letters``, where they do not follow a vowel or q: those that stand for one that a keyboard lacks.
    """

    name: str
    codes: tuple[str, ...] = ()
    stemmer: str = ""
    latin: bool = True
    endings: Mapping[str, str] = field(default_factory=dict)
    letters: Mapping[str, str] = field(default_factory=dict)


_STEMMED = """
    arabic ar, armenian hy, basque eu, catalan ca, czech cs, danish da, dutch nl, english en, esperanto eo,
    estonian et, finnish fi, french fr, german de, greek el, hindi hi, hungarian hu, indonesian id, irish ga,
    italian it, lithuanian lt, nepali ne, norwegian no nb nn, persian fa, polish pl, portuguese pt, romanian ro,
    russian ru, serbian sr, sesotho st, spanish es, swedish sv, tamil ta, turkish tr, yiddish yi
"""
_NOT_STEMMED = """
    bulgarian bg, burmese my, chinese zh, croatian hr bs, georgian ka, hebrew he, japanese ja, khmer km, korean ko,
    lao lo, slovak sk, thai th, ukrainian uk, vietnamese vi
"""
_NOT_LATIN = frozenset(
    """
    arabic armenian bulgarian burmese chinese georgian greek hebrew hindi japanese khmer korean lao nepali persian
    russian serbian tamil thai ukrainian yiddish
    """.split()
)
_LATIN_PLURALS = {"xima": "ximum", "nima": "nimum", "rema": "remum", "mmata": "mma", "emata": "ema"}
_ENDINGS: dict[str, dict[str, str]] = {
    "french": {"us": "u", "os": "o", "yaux": "yau", **_LATIN_PLURALS},
    "german": {
        "eme": "em", "emen": "em", "ems": "em", "duen": "duum", "ktren": "ktrum", "ntren": "ntrum", "terien": "terium",
        **_LATIN_PLURALS,
    },
    "portuguese": {"ões": "ão", "ães": "ão", "ais": "al", "éis": "el"},
    "russian": {
        "чисел": "числа", "колец": "кольца", "точек": "точки", "строк": "строки", "оценок": "оценки",
        "решеток": "решетки", "решёток": "решетки", "скобок": "скобки", "ошибок": "ошибки", "новок": "новки",
        "борок": "борки", "ячеек": "ячейки", "ядер": "ядра", "ребер": "ребра", "рёбер": "ребра", "теорем": "теорема",
        "проблем": "проблема", "систем": "система", "схем": "схема", "объём": "объема", "объем": "объема",
        "приём": "приема", "прием": "приема",
    },
}
"""Endings of words of mathematics whose stems Snowball keeps apart, and the ending of a form that it stems as others.
"""

_LETTERS = {"german": {"ae": "ä", "oe": "ö", "ue": "ü"}}
"""Pairs of letters that stand for one: ``Koerper`` for ``Körper``."""


def _languages() -> dict[str, Language]:
    known = set(Stemmer.algorithms())  # those of later versions of Snowball are left out by earlier ones
    languages: dict[str, Language] = {}
    for table, stemmed in ((_STEMMED, True), (_NOT_STEMMED, False)):
        for entry in table.split(","):
            name, *codes = entry.split()
            stemmer = name if stemmed and name in known else ""
            languages[name] = Language(
                name, tuple(codes), stemmer, name not in _NOT_LATIN, _ENDINGS.get(name, {}), _LETTERS.get(name, {})
            )
    return languages


LANGUAGES: dict[str, Language] = _languages()
"""The languages by name."""

LANGUAGE_NAMES = frozenset({NO_LANGUAGE, *LANGUAGES, *Stemmer.algorithms()})
"""What the language of an index can be called."""

_BY_CODE = {code: language.name for language in LANGUAGES.values() for code in language.codes}


def language_named(written: str) -> str | None:
    """The name of a language given by its name or code: ``French``, ``fr``, ``fr-CA``; None for another text."""
    name = written.strip().lower()
    return name if name in LANGUAGES else _BY_CODE.get(name.replace("_", "-").partition("-")[0])


@dataclass(frozen=True, slots=True)
class LanguageChoice:
    """Which languages documents can be in, as the setting ``language`` says it.

    ``fallback`` is that of texts whose language is not detected. With ``detected`` the language of each document is,
    out of ``among`` (all that can be, where it is empty).
    """

    fallback: str
    detected: bool = False
    among: tuple[str, ...] = ()

    @property
    def setting(self) -> str:
        """The choice as it is written in a configuration."""
        return self.fallback if not self.detected else ",".join(self.among) or AUTO


def read_choice(setting: str) -> LanguageChoice:
    """The choice that a setting stands for: ``auto``, ``none``, a language, or several with commas between them, of
    which the first is the fallback.

    :raises ConfigError: there is no such language.
    """
    if setting == AUTO:
        return LanguageChoice(ENGLISH, detected=True)
    if setting in (NO_LANGUAGE, *Stemmer.algorithms()):
        return LanguageChoice(setting)
    names = tuple(dict.fromkeys(map(_named, setting.split(","))))
    return LanguageChoice(names[0], len(names) > 1, names if len(names) > 1 else ())


def _named(written: str) -> str:
    name = language_named(written)
    if name is None:
        raise ConfigError(
            f"{written.strip()!r} is not a known language",
            hint=f"Choose from {AUTO}, {NO_LANGUAGE}, {', '.join(LANGUAGES)}, or their codes.",
        )
    return name

