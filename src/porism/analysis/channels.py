"""Channels: what each reads, how it makes its terms, and which tokenizer it needs.

A *channel* is a stream of terms of a document. :func:`parse_channel` makes it from its name:

- ``words``, ``word-pairs``, ``symbols``, ``plain``, ``simple``, ``lucene``, ``whitespace`` read text;
- ``joint:OPTIONS`` reads text and puts the terms of a formula channel where a formula is;
- the names of :data:`porism.formula.EXTRACTORS`, and variants such as ``tangent-l:OPTIONS``, read formulas;
- ``bpe:NAME`` has the tokens of a trained tokenizer and reads what that tokenizer reads;
- ``splade:NAME`` has the terms of a sparse encoder, ``splade`` those of the only one. It is not made by analysis: an
  index gets it when its documents are encoded.

No other module parses the name of a channel.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Literal, Protocol

from porism.analysis.documents import clean_text
from porism.analysis.splitting import lucene_words, plain_words, simple_words, whitespace_tokens
from porism.analysis.symbols import content_symbols, formula_symbols, formula_words
from porism.analysis.tokenizers.tokenizer import TokenizerReference
from porism.analysis.words import WordAnalyzer
from porism.errors import ConfigError
from porism.formula import EXTRACTORS, LayoutTree, OperatorTree, find_extractor
from porism.formula.extractors import Terms
from porism.formula.extractors.latex import source_latex
from porism.types import PLACEHOLDER, Content, Formula

WORDS = "words"
WORD_PAIRS = "word-pairs"
SYMBOLS = "symbols"
FORMULA_TOKENS = "tokens"

_JOINT = "joint:"
_BPE = "bpe:"
_SPARSE = "splade"

Reads = Literal["text", "formulas"]
"""What a channel reads: the text of a document with its formulas, or single formulas."""

Splitter = Callable[[str], list[str]]
Writer = Callable[[Formula], str]


class UnknownChannel(ConfigError):
    """There is no channel of this name."""


@dataclass(frozen=True, slots=True)
class FormulaForm:
    """The form of a formula in a text channel: terms, or one string that is split with the text.

    Forms of the same name are equal, so each is made once for each formula.
    """

    name: str
    read: Terms = field(compare=False, repr=False)


_SOURCE = FormulaForm("source", lambda layout, operators: [source_latex(layout)])
SYMBOL_FORM = FormulaForm(SYMBOLS, lambda layout, operators: formula_symbols(layout))
WORD_FORM = FormulaForm(WORDS, lambda layout, operators: formula_words(layout))


class TextTools(Protocol):
    """The parts of an analyzer that text channels use: words of one language, and cached forms of formulas."""

    @property
    def words(self) -> WordAnalyzer:
        """Stemmed words without stop words; identifiers are split if the configuration says so."""

    @property
    def all_words(self) -> WordAnalyzer:
        """:attr:`words` with stop words."""

    @property
    def plain_words(self) -> WordAnalyzer:
        """Stemmed words without stop words, identifiers not split."""

    def form(self, form: FormulaForm, formula: Formula) -> list[str]:
        """A form of a formula."""


@dataclass(frozen=True, slots=True)
class Channel(ABC):
    """A stream of terms; ``tokenizer`` names the trained tokenizer that it needs, if any."""

    name: str
    tokenizer: str | None = None

    @property
    @abstractmethod
    def reads(self) -> Reads | None:
        """What it reads; None for the channel of an unknown tokenizer."""


@dataclass(frozen=True, slots=True)
class TextChannel(Channel):
    """A text channel. ``forms`` are the forms of formulas that it uses."""

    forms: tuple[FormulaForm, ...] = ()

    @property
    def reads(self) -> Reads:
        return "text"

    @property
    def has_stems(self) -> bool:
        """Whether its words are stemmed as in the channel ``words``."""
        return False

    @property
    def depends_on_language(self) -> bool:
        """Whether its terms depend on the language of a text."""
        return self.has_stems

    @abstractmethod
    def terms(self, content: Content, tools: TextTools) -> list[str]:
        """The terms of a content, with repetition, in order.

        :raises MissingExtra: its tokenizer needs the library ``tokenizers``.
        """


@dataclass(frozen=True, slots=True)
class FormulaChannel(Channel):
    """A formula channel; ``terms`` makes the terms of a formula from both of its trees, with repetition."""

    terms: Terms = field(default=lambda layout, operators: [], compare=False, repr=False)

    @property
    def reads(self) -> Reads:
        return "formulas"


class _Words(TextChannel):
    @property
    def has_stems(self) -> bool:
        return True

    def terms(self, content: Content, tools: TextTools) -> list[str]:
        return tools.words.terms(content.text)


class _WordPairs(TextChannel):
    """Adjacent words, stop words included; a pair does not span a formula."""

    @property
    def depends_on_language(self) -> bool:
        return True

    def terms(self, content: Content, tools: TextTools) -> list[str]:
        runs = map(tools.all_words.parts, content.text.split(PLACEHOLDER))
        return [f"{first} {second}" for run in runs for first, second in pairwise(run)]


class _Symbols(TextChannel):
    def terms(self, content: Content, tools: TextTools) -> list[str]:
        return content_symbols(content, lambda formula: tools.form(SYMBOL_FORM, formula))


@dataclass(frozen=True, slots=True)
class _Split(TextChannel):
    """Text split by ``split``, without the stemmer of the index; with ``forms``, formulas are written as LaTeX."""

    split: Splitter = str.split

    def terms(self, content: Content, tools: TextTools) -> list[str]:
        if not self.forms:
            return self.split(content.text)
        return self.split(written_text(content, _writer(self.forms[0], tools)))


_SPLITTERS: dict[str, Splitter] = {"plain": plain_words, "simple": simple_words, "lucene": lucene_words}
"""Name of a channel → its way to split text, if it is not that of ``words``."""

_NAMED: dict[str, TextChannel] = {
    channel.name: channel
    for channel in (
        _Words(WORDS), _WordPairs(WORD_PAIRS), _Symbols(SYMBOLS, forms=(SYMBOL_FORM,)),
        _Split("plain", split=plain_words), _Split("simple", split=simple_words),
        _Split("lucene", forms=(_SOURCE,), split=lucene_words),
        _Split("whitespace", forms=(_SOURCE,), split=whitespace_tokens),
    )
}

TEXT_CHANNEL_NAMES = tuple(_NAMED)
"""The text channels without options."""


@dataclass(frozen=True, slots=True)
class JointChannel(TextChannel):
    """A stream of words and formula terms: ``joint:FORMULAS+words=WORDS+case=CASE``.

    ``words`` is the way to split text: ``stems`` as in the channel ``words`` without identifiers, or ``plain``,
    ``simple``, ``lucene`` as in these channels. ``case`` is ``same``, or ``upper`` for formula terms in upper case,
    which distinguishes them from words (Novotný et al. 2021).
    """

    words: str = "stems"
    case: Literal["same", "upper"] = "same"

    @property
    def has_stems(self) -> bool:
        return self.words == "stems"

    def terms(self, content: Content, tools: TextTools) -> list[str]:
        split = _SPLITTERS.get(self.words, tools.plain_words.terms)
        upper = self.case == "upper"
        joined: list[str] = []
        for number, piece in enumerate(content.text.split(PLACEHOLDER)):
            if number:
                terms = tools.form(self.forms[0], content.formulas[number - 1])
                joined += map(str.upper, terms) if upper else terms
            if piece:
                joined += split(piece)
        return joined


@dataclass(frozen=True, slots=True)
class TokenizerChannel(Channel):
    """The channel of a tokenizer that is not known yet: it may read text or formulas."""

    @property
    def reads(self) -> None:
        return None


@dataclass(frozen=True, slots=True)
class EncodedChannel(Channel):
    """The channel of a sparse encoder; ``encoder`` is its name in the index, empty for the only one there."""

    encoder: str = ""

    @property
    def reads(self) -> None:
        return None


@dataclass(frozen=True, slots=True)
class _TokenizedText(TextChannel):
    reference: TokenizerReference | None = None

    def terms(self, content: Content, tools: TextTools) -> list[str]:
        assert self.reference is not None
        write: Writer = _writer(self.forms[0], tools) if self.forms else lambda formula: ""
        return self.reference.load().terms(content, write)


def parse_channel(name: str, tokenizers: Iterable[TokenizerReference] = ()) -> Channel:
    """The channel of a name; ``tokenizers`` are those that are known, by which channels of tokenizers are complete.

    :raises UnknownChannel: there is no channel of this name.
    :raises ConfigError: an option of the channel does not exist or is given twice.
    """
    known = tuple(tokenizers)
    return _parse(name, known) if known and name.startswith((_BPE, _JOINT)) else _without_tokenizers(name)


def encoded_channel(encoder: str) -> str:
    """The name of the channel of a sparse encoder."""
    return f"{_SPARSE}:{encoder}"


def tokenizer_channel(name: str) -> str:
    """The name of the channel of a tokenizer."""
    return f"{_BPE}{name}"


@lru_cache(512)
def _without_tokenizers(name: str) -> Channel:
    return _parse(name, ())


def _parse(name: str, tokenizers: tuple[TokenizerReference, ...]) -> Channel:
    if name in _NAMED:
        return _NAMED[name]
    if name == _SPARSE or name.startswith(encoded_channel("")):
        return EncodedChannel(name, encoder=name.removeprefix(_SPARSE).removeprefix(":"))
    if name.startswith(_JOINT):
        return _joint(name, tokenizers)
    if name.startswith(_BPE):
        reference = next((candidate for candidate in tokenizers if candidate.channel == name), None)
        return _tokenized(name, name.removeprefix(_BPE), reference)
    if ":" not in name and name not in EXTRACTORS:
        raise UnknownChannel(
            f"there is no channel {name!r}",
            hint=f"Choose from {', '.join((*_NAMED, *EXTRACTORS))}, {_JOINT}OPTIONS, or {_BPE}TOKENIZER.",
        )
    return FormulaChannel(name, terms=find_extractor(name).terms)


def _tokenized(name: str, tokenizer: str, reference: TokenizerReference | None) -> Channel:
    if reference is None:
        return TokenizerChannel(name, tokenizer)
    if reference.kind == "latex":
        return FormulaChannel(name, tokenizer, lambda layout, operators: reference.load().formula_terms(layout))
    written = FormulaForm(
        f"written:{name}:{reference.digest}", lambda layout, operators: [reference.load().written(layout)]
    )
    return _TokenizedText(name, tokenizer, (written,) if reference.kind == "joint" else (), reference)


def _joint(name: str, tokenizers: tuple[TokenizerReference, ...]) -> JointChannel:
    parts = name.removeprefix(_JOINT).split("+")
    options: dict[str, str] = {}
    while len(parts) > 1 and parts[-1].partition("=")[0] in ("words", "case"):
        key, _, value = parts.pop().partition("=")
        if key in options:
            raise ConfigError(f"the channel {name!r} has {key} twice")
        options[key] = value
    for key, choices in (("words", ("stems", *_SPLITTERS)), ("case", ("same", "upper"))):
        if options.get(key, choices[0]) not in choices:
            raise ConfigError(
                f"{key}={options[key]} is not an option of a joint channel", where=name,
                hint=f"Choose {key} from {', '.join(choices)}.",
            )
    inner = "+".join(parts)
    try:
        if not inner.startswith(_BPE):
            form, tokenizer = FormulaForm(inner, find_extractor(inner).terms), None
        else:
            channel = _parse(inner, tokenizers)
            tokenizer = channel.tokenizer
            if channel.reads == "text":
                raise ConfigError(f"the channel {inner!r} cannot be used here: its tokenizer reads text")
            form = FormulaForm(inner, channel.terms if isinstance(channel, FormulaChannel) else _unknown_tokenizer)
    except ConfigError as error:
        raise ConfigError(error.what, where=name, hint=error.hint or "") from error
    case: Literal["same", "upper"] = "upper" if options.get("case") == "upper" else "same"
    return JointChannel(name, tokenizer, (form,), options.get("words", "stems"), case)


def _unknown_tokenizer(layout: LayoutTree, operators: OperatorTree) -> list[str]:
    raise ConfigError("the tokenizer of the channel is not known", hint="Name its file: --tokenizer NAME=FILE.")


def _writer(form: FormulaForm, tools: TextTools) -> Writer:
    return lambda formula: "".join(tools.form(form, formula))


def written_text(content: Content, latex: Writer, before: str = "$", after: str = "$") -> str:
    """The text with the LaTeX of each formula in its place, between two marks."""
    pieces = content.text.split(PLACEHOLDER)
    parts = [pieces[0]]
    for formula, piece in zip(content.formulas, pieces[1:], strict=True):
        parts += (before, latex(formula), after, piece)
    return clean_text("".join(parts))
