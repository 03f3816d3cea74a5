"""The languages of a LaTeX source (babel, polyglossia, german.sty): their shorthands, such as ``"a`` for ä."""

from __future__ import annotations

import re
from collections.abc import Iterable

from porism.analysis.languages import language_named
from porism.corpus.latex.macros import ProjectExpander
from porism.formula.macros.definition import Macro, body_of
from porism.formula.macros.tokens import join

LANGUAGE = "\\languagename"
"""The macro that holds the language: groups and updates keep it as they keep all macros."""
_OFF = "\\porism@shorthands@off"

_HYPHENS = {'"-': "", '""': "", '"~': "-", '"=': "-", '"|': "", '"/': "/"}
_QUOTES = {'"`': "„", "\"'": "“", '"<': "«", '">': "»"}


def _letters(pairs: str) -> dict[str, str]:
    """``aä`` → ``"a`` for ä and ``"A`` for Ä."""
    letters = {}
    for pair in pairs.split():
        letters[f'"{pair[0]}'] = pair[1]
        letters[f'"{pair[0].upper()}'] = pair[1].upper()
    return letters


_DOUBLED = {f'"{letter}': letter for letter in "cCfFlLmMnNpPrRtT"}
_SHORTHANDS = {
    "german": _HYPHENS | _QUOTES | _letters("aä oö uü eë iï") | _DOUBLED | {
        '"s': "ß", '"z': "ß", '"S': "SS", '"Z': "SZ",
    },
    "dutch": _HYPHENS | _letters("aä eë iï oö uü") | {'"y': "ij", '"Y': "IJ", '"`': "„", "\"'": "”"},
    "nordic": _HYPHENS | {'"`': "„", "\"'": "”", '"<': "«", '">': "»"},
    "swedish": _HYPHENS | _letters("aä oö wå"),
    "icelandic": _HYPHENS | _QUOTES | _letters("aä oö dð tþ"),
    "estonian": _HYPHENS | _QUOTES | _letters("aä oö uü sš zž"),
    "polish": _HYPHENS | {'"`': "„", "\"'": "”", '"<': "«", '">': "»"} | _letters("aą cć eę lł nń oó sś xź zż"),
    "slavic": _HYPHENS | _QUOTES,
    "slovene": _HYPHENS | _QUOTES | _letters("cč sš zž"),
    "croatian": _HYPHENS | _QUOTES,
    "russian": _HYPHENS | _QUOTES | {'"---': "—", '"--~': " — ", '"--*': "— ", '",': "", '"*': ""},
    "spanish": _HYPHENS | {'"a': "ª", '"o': "º", '"u': "ü", '"U': "Ü", '"i': "ï", '"<': "«", '">': "»", '"c': "ç"},
    "catalan": _HYPHENS | {'"l': "l·l", '"L': "L·L", '"i': "ï", '"u': "ü", '"c': "ç", '"<': "«", '">': "»"},
    "portuguese": {'"-': "", '"|': "", '"=': "-", '"<': "«", '">': "»"},
    "italian": {'"': "", '""': "“", '"/': "/", '"<': "«", '">': "»"},
    "hungarian": {'"-': "", '"|': "", '"=': "-", '"~': "-"},
    "basque": _HYPHENS | {'"<': "«", '">': "»"},
}  # fmt: skip
"""What the shorthands of a language print; those of hyphenation print nothing."""

_FAMILIES = {
    "german": "german", "ngerman": "german", "austrian": "german", "naustrian": "german", "swissgerman": "german",
    "nswissgerman": "german", "germanb": "german", "lsorbian": "german", "usorbian": "german", "dutch": "dutch",
    "afrikaans": "dutch", "danish": "nordic", "norsk": "nordic", "norwegian": "nordic", "nynorsk": "nordic",
    "finnish": "nordic", "swedish": "swedish", "icelandic": "icelandic", "estonian": "estonian", "polish": "polish",
    "czech": "slavic", "slovak": "slavic", "bulgarian": "russian", "russian": "russian", "ukrainian": "russian",
    "belarusian": "russian", "serbianc": "russian", "slovene": "slovene", "slovenian": "slovene",
    "croatian": "croatian", "serbian": "croatian", "spanish": "spanish", "galician": "spanish", "catalan": "catalan",
    "portuguese": "portuguese", "brazil": "portuguese", "brazilian": "portuguese", "portuges": "portuguese",
    "italian": "italian", "magyar": "hungarian", "hungarian": "hungarian", "basque": "basque",
}  # fmt: skip
_OTHERS = frozenset(
    "english american british usenglish ukenglish uk usenglishmax canadian australian french francais frenchb acadian "
    "canadien latin greek turkish romanian esperanto welsh irish breton japanese chinese korean vietnamese hebrew "
    "arabic farsi USenglish UKenglish newzealand persian hindi thai lithuanian indonesian bahasa armenian".split()
)
"""Languages whose shorthands change no letters."""

BABEL_NAMES = {
    **dict.fromkeys("ngerman austrian naustrian swissgerman nswissgerman germanb".split(), "german"),
    **dict.fromkeys("""
        american british usenglish ukenglish USenglish UKenglish uk usenglishmax canadian australian newzealand
    """.split(), "english"),
    **dict.fromkeys("francais frenchb acadian canadien".split(), "french"),
    "afrikaans": "", "norsk": "norwegian", "nynorsk": "norwegian", "serbianc": "serbian", "magyar": "hungarian",
    **dict.fromkeys("brazil brazilian portuges".split(), "portuguese"), "mexican": "spanish", "farsi": "persian",
    "bahasa": "indonesian", "indon": "indonesian", "polutonikogreek": "greek",
}
"""Names of languages for babel and polyglossia that are other ones elsewhere."""

_PATTERNS = {
    family: re.compile("|".join(map(re.escape, sorted(table, key=len, reverse=True))))
    for family, table in _SHORTHANDS.items()
}
_MAIN = re.compile(r"main\s*=\s*(\w+)")


class Languages:
    """Follows the language of a source; installs itself in an expander."""

    def __init__(self, expander: ProjectExpander) -> None:
        self.expander = expander
        expander.install({
            self._select: "selectlanguage setdefaultlanguage setmainlanguage languageshorthands",
            self._foreign: "foreignlanguage", self._switch: "shorthandoff shorthandon",
            self._define: "defineshorthand declare@shorthand", self._use: "useshorthands",
        })

    @property
    def stated(self) -> str:
        """The language that the source says it is in here, empty where it says none or one that is not known."""
        macro = self.expander.macros.get(LANGUAGE)
        name = "" if macro is None else join(macro.fixed)
        return language_named(BABEL_NAMES.get(name, name)) or ""

    def take_options(self, names: Iterable[str], options: Iterable[str]) -> None:
        """Takes the language that packages or a class are loaded with: the last one named, or ``main=``."""
        for name in names:
            if name in ("german", "ngerman"):
                self._set(name)
        known = [option for option in options if option in _FAMILIES or option in _OTHERS]
        main = [match.group(1) for option in options if (match := _MAIN.fullmatch(option)) is not None]
        if known or main:
            self._set([*known, *main][-1])

    def printed(self, text: str) -> str:
        """A text whose shorthands are what they print."""
        table = self._table()
        return text if table is None else _PATTERNS[table].sub(lambda match: _SHORTHANDS[table][match.group()], text)

    def _table(self) -> str | None:
        macro = self.expander.macros.get(LANGUAGE)
        if macro is None or _OFF in self.expander.macros:
            return None
        return _FAMILIES.get(join(macro.fixed))

    def _set(self, language: str) -> None:
        self.expander.define(LANGUAGE, Macro((), (language,)))

    def _select(self, command: str) -> None:
        self.expander.star()
        self.expander.optional()
        language = self.expander.expanded_name()
        if language:
            self._set(language)

    def _foreign(self, command: str) -> None:
        reader = self.expander
        reader.star()
        reader.optional()
        language, text = reader.name(), reader.group() or []
        reader.stream.push(["{", "\\selectlanguage", "{", language, "}", *text, "}"])

    def _switch(self, command: str) -> None:
        self.expander.star()
        if '"' not in self.expander.name():
            return
        if command == "\\shorthandoff":
            self.expander.define(_OFF, Macro((), ()))
        else:
            self.expander.macros.pop(_OFF, None)

    def _use(self, command: str) -> None:
        self.expander.star()
        self.expander.group()

    def _define(self, command: str) -> None:
        reader = self.expander
        reader.star()
        reader.optional()
        if command == "\\declare@shorthand":
            reader.group()
        written, body = join(reader.group() or []), reader.group()
        if written and body is not None:
            reader.shorthands[written] = Macro((), body_of(body))
