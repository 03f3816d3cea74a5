"""Channels of the text: from content, formulas in place, to one stream of terms.

A channel is made by its name: ``words``, ``symbols``, ``plain``, ``simple``, ``lucene``, ``whitespace``, and
``joint:OPTIONS``, which has the terms of a formula channel where the formula stands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from porism.analysis.documents import clean_text
from porism.analysis.splitting import lucene_words, plain_words, simple_words, whitespace_tokens
from porism.errors import ConfigError
from porism.formula import find_extractor
from porism.types import PLACEHOLDER, Content, Formula

WORDS = "words"
WORD_PAIRS = "word-pairs"
SYMBOLS = "symbols"
LUCENE = "lucene"
WHITESPACE = "whitespace"
JOINT = "joint:"
BPE = "bpe:"

FormulaTerms = Callable[[str, Formula], list[str]]
"""From a formula channel and a formula to its terms."""

Splitter = Callable[[str], list[str]]

SPLITTERS: dict[str, Splitter] = {"plain": plain_words, "simple": simple_words, LUCENE: lucene_words}
"""Ways to split text beside that of the channel ``words``, by the name of their channel."""

TEXT_CHANNEL_NAMES = (WORDS, WORD_PAIRS, SYMBOLS, "plain", "simple", LUCENE, WHITESPACE)
"""The text channels that are named without options."""


def is_text_channel(name: str) -> bool:
    """Whether this names a channel of the text, as far as the name tells: ``bpe:NAME`` can be either and is not one."""
    return name in TEXT_CHANNEL_NAMES or name.startswith(JOINT)


@dataclass(frozen=True, slots=True)
class JointChannel:
    """One stream of words and formula terms: ``joint:FORMULAS+words=WORDS+case=CASE``.

    ``formulas`` is a formula channel, options of its own included. ``words`` says how the text is split: ``stems`` as
    in the channel ``words``, or ``plain``, ``simple``, ``lucene`` as in the channels of these names. ``case`` is
    ``same``, or ``upper`` for formula terms in upper case, which keeps them apart from words (Novotný et al. 2021).

    :raises ConfigError: a channel or an option does not exist.
    """

    formulas: str
    words: str = "stems"
    case: Literal["same", "upper"] = "same"

    def __post_init__(self) -> None:
        if not self.formulas.startswith(BPE):
            find_extractor(self.formulas)
        for name, value, known in (
            ("words", self.words, ("stems", *SPLITTERS)), ("case", self.case, ("same", "upper")),
        ):
            if value not in known:
                raise ConfigError(
                    f"{name}={value} is no option of a joint channel", hint=f"Choose {name} from {', '.join(known)}."
                )

    def terms(self, content: Content, stems: Splitter, formula_terms: FormulaTerms) -> list[str]:
        """The terms of a content in order: words, and where a formula stands its terms."""
        split = SPLITTERS.get(self.words, stems)
        upper = self.case == "upper"
        found: list[str] = []
        for number, piece in enumerate(content.text.split(PLACEHOLDER)):
            if number:
                terms = formula_terms(self.formulas, content.formulas[number - 1])
                found += map(str.upper, terms) if upper else terms
            if piece:
                found += split(piece)
        return found


@lru_cache(256)
def joint_channel(name: str) -> JointChannel:
    """The channel of a name ``joint:…``.

    :raises ConfigError: it names no formula channel, or an option does not exist or is given twice.
    """
    parts = name.removeprefix(JOINT).split("+")
    options: dict[str, str] = {}
    while len(parts) > 1 and parts[-1].partition("=")[0] in ("words", "case"):
        key, _, value = parts.pop().partition("=")
        if key in options:
            raise ConfigError(f"the channel {name!r} has {key} twice")
        options[key] = value
    try:
        return JointChannel("+".join(parts), **options)  # type: ignore[arg-type]  # what they are is checked there
    except ConfigError as error:
        raise ConfigError(error.what, where=name, hint=error.hint or "") from error


def written_text(content: Content, latex: Callable[[Formula], str], before: str = "$", after: str = "$") -> str:
    """The text with the LaTeX of each formula in its place, between two marks."""
    pieces = content.text.split(PLACEHOLDER)
    parts = [pieces[0]]
    for formula, piece in zip(content.formulas, pieces[1:], strict=True):
        parts += (before, latex(formula), after, piece)
    return clean_text("".join(parts))


def split_terms(name: str, content: Content, latex: Callable[[Formula], str]) -> list[str]:
    """The terms of a content in a channel that needs no stemmer of the index's own and no formula channel.

    :raises ConfigError: there is no such channel.
    """
    if name == WHITESPACE:
        return whitespace_tokens(written_text(content, latex))
    if name == LUCENE:
        return lucene_words(written_text(content, latex))
    splitter = SPLITTERS.get(name)
    if splitter is None:
        raise ConfigError(f"there is no text channel {name!r}", hint=f"Choose from {', '.join(TEXT_CHANNEL_NAMES)}.")
    return splitter(content.text)
