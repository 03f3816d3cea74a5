"""The analysis configuration that is stored in an index: its channels, languages and tokenizers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from porism.analysis.channels import (
    SYMBOLS,
    TEXT_CHANNEL_NAMES,
    WORD_PAIRS,
    WORDS,
    Channel,
    EncodedChannel,
    FormulaChannel,
    TextChannel,
    TokenizerChannel,
    UnknownChannel,
    parse_channel,
    tokenizer_channel,
)
from porism.analysis.languages import AUTO, read_choice
from porism.analysis.tokenizers.tokenizer import TokenizerReference, tokenizer_reference
from porism.analysis.words import OWN_STOP_WORDS, WordAnalyzer
from porism.errors import ConfigError, IndexVersionError
from porism.formula import EXTRACTORS
from porism.system.files.artifacts import TOKENIZERS

ANALYSIS_VERSION = 7
"""Grows when texts or formulas give different terms: an index of another version must be made again."""

TEXT_CHANNELS = (WORDS, WORD_PAIRS, SYMBOLS)
"""The default text channels of an index: stemmed words, pairs of adjacent words (stop words included), and mathematical
symbols of text and formulas."""

DEFAULT_FORMULAS = ("tokens", "tokens-2", "tokens-3", "approach0", "subtrees", "values")
"""The default formula channels of an index: those that the default models and their parts search."""

CHANNEL_SETS: dict[str, tuple[str, ...]] = {
    "default": (*TEXT_CHANNELS, *DEFAULT_FORMULAS),
    "all": (*TEXT_CHANNEL_NAMES, *EXTRACTORS),
    "mirmu2021": (
        "whitespace", "lucene", "joint:prefix:latexml+words=simple+case=upper", "joint:latex+words=plain",
        "joint:prefix:latexml+words=plain+case=upper",
    ),
    "scm2022": ("tangent-l:delimiters+identifiers",),
}
"""Names of sets of channels for a new index; the last two are those of published systems."""


def channels_named(names: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The text channels and formula channels of these names and :data:`CHANNEL_SETS`; each with its own default.

    ``bpe:NAME`` is neither: :meth:`AnalysisConfig.named` adds it.

    :raises ConfigError: a channel does not exist.
    """
    named = list(dict.fromkeys(channel for name in names for channel in CHANNEL_SETS.get(name, (name,))))
    reads = {name: parse_channel(name).reads for name in named}
    text = tuple(name for name in named if reads[name] == "text")
    formulas = tuple(name for name in named if reads[name] == "formulas")
    return text or TEXT_CHANNELS, formulas or DEFAULT_FORMULAS


@dataclass(frozen=True)
class AnalysisConfig:
    """The settings by which an index reads documents and queries alike; stored in it and checked when it is opened.

    ``text`` names the text channels, ``formulas`` the formula channels. ``language`` is the language of all documents,
    or several languages (names or codes, with commas) among which that of each document is detected; ``auto`` stands
    for any, ``none`` for words without stems. ``stop_words`` is the list of a language, ``language`` for each
    document's own, or ``none``. With ``identifiers`` the channels ``words`` and ``word-pairs`` split identifiers into
    their parts, and ``words`` keeps them whole too. ``tokenizers`` are those of the channels ``bpe:NAME``;
    :meth:`named` makes a configuration with tokenizers.

    :raises ConfigError: a channel, a language or a list does not exist.
    """

    text: tuple[str, ...] = TEXT_CHANNELS
    formulas: tuple[str, ...] = DEFAULT_FORMULAS
    language: str = AUTO
    stop_words: str = OWN_STOP_WORDS
    identifiers: bool = True
    tokenizers: tuple[TokenizerReference, ...] = ()

    def __post_init__(self) -> None:
        for name in self.text:
            self._check(self.channel(name), TextChannel)
        for name in self.formulas:
            self._check(self.channel(name), FormulaChannel)
        choice = read_choice(self.language)
        object.__setattr__(self, "language", choice.setting)
        WordAnalyzer(choice.fallback, self.stop_words)

    def channel(self, name: str) -> Channel:
        """The channel of a name, made with the tokenizers of the configuration.

        :raises ConfigError: there is no such channel.
        """
        return parse_channel(name, self.tokenizers)

    def _check(self, channel: Channel, kind: type[TextChannel | FormulaChannel]) -> None:
        """Checks that a channel is of this kind, and that its tokenizer is known."""
        known = {reference.name for reference in self.tokenizers}
        if isinstance(channel, TokenizerChannel) or (channel.tokenizer and channel.tokenizer not in known):
            raise _no_tokenizer(channel.tokenizer or "")
        if isinstance(channel, kind):
            return
        if isinstance(channel, EncodedChannel):
            raise _not_analysed(channel)
        if channel.tokenizer:
            raise ConfigError(f"the channel {channel.name!r} does not belong here: its tokenizer reads {channel.reads}")
        noun = "text" if kind is TextChannel else "formula"
        choices = TEXT_CHANNEL_NAMES if kind is TextChannel else tuple(EXTRACTORS)
        raise UnknownChannel(f"there is no {noun} channel {channel.name!r}", hint=f"Choose from {', '.join(choices)}.")

    @classmethod
    def named(
        cls, names: Iterable[str] = (), *, tokenizers: Mapping[str, str | os.PathLike[str]] | None = None,
        language: str = AUTO, stop_words: str = OWN_STOP_WORDS, identifiers: bool = True,
    ) -> AnalysisConfig:
        """The configuration with the channels of these names and sets (:func:`channels_named`).

        Each name and file of a tokenizer adds a channel ``bpe:NAME``: a formula channel if it reads LaTeX, else a text
        channel.

        :raises ConfigError: a channel does not exist, or the name or file of a tokenizer is not valid.
        :raises MissingExtra: there are tokenizers, and the library ``tokenizers`` is not installed.
        """
        known = tuple(tokenizer_reference(name, path) for name, path in (tokenizers or {}).items())
        names = list(names)
        for name in names:
            channel = None if name in CHANNEL_SETS else parse_channel(name, known)
            if isinstance(channel, TokenizerChannel):
                raise _no_tokenizer(channel.tokenizer or "")
            if isinstance(channel, EncodedChannel):
                raise _not_analysed(channel)
        text, formulas = channels_named(names)
        return cls(
            (*text, *(tokenizer.channel for tokenizer in known if tokenizer.kind != "latex")),
            (*formulas, *(tokenizer.channel for tokenizer in known if tokenizer.kind == "latex")),
            language, stop_words, identifiers, known,
        )

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready mapping."""
        value: dict[str, Any] = {
            "version": ANALYSIS_VERSION, "text": list(self.text), "formulas": list(self.formulas),
            "language": self.language, "stop_words": self.stop_words, "identifiers": self.identifiers,
        }
        if self.tokenizers:  # left out if empty, as in older indexes
            value["tokenizers"] = {
                tokenizer.name: {"kind": tokenizer.kind, "digest": tokenizer.digest} for tokenizer in self.tokenizers
            }
        return value

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], folder: str | os.PathLike[str] | None = None) -> AnalysisConfig:
        """The inverse of :meth:`to_dict`; checks the tokenizers in ``folder``, that of the index.

        :raises IndexVersionError: the index was analysed by another version, which made different terms.
        :raises ConfigError: a setting is unknown.
        :raises IndexCorrupt: a tokenizer is missing or was changed.
        """
        if value.get("version") != ANALYSIS_VERSION:
            raise IndexVersionError(
                "the index was analysed by another version of Porism, which reads words or formulas otherwise",
                where="" if folder is None else str(folder), hint="Index the collection again with this version.",
            )
        known = {"version", "text", "formulas", "language", "stop_words", "identifiers", "tokenizers"}
        if unknown := set(value) - known:
            raise ConfigError(
                f"the index was analysed with settings this version does not know: {', '.join(sorted(unknown))}",
                hint="Index the collection again with this version.",
            )
        tokenizers = tuple(
            TokenizerReference(
                name, held["kind"], held["digest"], "" if folder is None else str(TOKENIZERS.path(folder, name))
            )
            for name, held in value.get("tokenizers", {}).items()
        )
        if folder is not None:
            for reference in tokenizers:
                reference.check()
        return cls(
            tuple(value["text"]), tuple(value["formulas"]), value["language"], value["stop_words"],
            value.get("identifiers", False), tokenizers,
        )


def _no_tokenizer(tokenizer: str) -> ConfigError:
    return ConfigError(
        f"there is no tokenizer for the channel {tokenizer_channel(tokenizer)!r}",
        hint="Name its file: --tokenizer NAME=FILE.",
    )


def _not_analysed(channel: EncodedChannel) -> ConfigError:
    return ConfigError(
        f"the channel {channel.name!r} is made by a sparse encoder, not by analysis",
        hint="Index without it, then encode the documents: porism encode MODEL.",
    )
