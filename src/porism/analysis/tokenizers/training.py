"""Training of byte-pair encoding on texts and formulas."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from porism.analysis.documents import clean_text
from porism.analysis.tokenizers.tokenizer import END_OF_MATH, EXTRA, MATH, LatexForm, MathTokenizer, TokenizerKind
from porism.errors import ConfigError
from porism.extras import need
from porism.formula import parse
from porism.settings import SettingError, Settings, setting
from porism.types import PLACEHOLDER, Content, Document, Formula

_BYTES = 256
_REMEMBERED = 1 << 16
_PIECES = r"\\\p{L}+| ?\p{L}+| ?\p{N}+|\\.| ?[^\s\p{L}\p{N}\\]+|\s+"
"""What no token of text with LaTeX crosses: commands, words, digits, runs of signs, each with the blank before it."""


@dataclass(frozen=True, slots=True)
class BpeSettings(Settings):
    """How a tokenizer is trained.

    The vocabulary is the merges, 256 bytes, and for text with LaTeX two marks.

    :raises ConfigError: a number is out of its range.
    """

    kind: TokenizerKind = setting(
        "latex", "What it reads: formulas, the text between them, or text with LaTeX in one stream."
    )
    latex: LatexForm = setting(
        "normalised",
        "Formulas in one spelling, as they were written, or as tokens in which equal commands are one.",
    )
    merges: int = setting(50_000, "How often two tokens become one, at most.")
    minimum_frequency: int = setting(2, "Rarer pairs do not become one token.")
    longest: int = setting(40, "The longest token, in bytes.")

    def __post_init__(self) -> None:
        for name, value, least in (
            ("merges", self.merges, 1), ("minimum_frequency", self.minimum_frequency, 1), ("longest", self.longest, 2),
        ):
            if value < least:
                raise ConfigError(f"{name} cannot be {value}", hint=f"It is at least {least}.")

    @property
    def other_tokens(self) -> int:
        """Tokens that no merge makes: bytes and marks."""
        return _BYTES + (2 if self.kind == "joint" else 0)

    def of_vocabulary(self, tokens: int) -> BpeSettings:
        """These settings with as many merges as a vocabulary of so many tokens leaves.

        :raises SettingError: it leaves none.
        """
        if tokens <= self.other_tokens:
            raise SettingError(
                f"a vocabulary of {tokens:,} tokens leaves no merges", path=("vocabulary",),
                hint=f"{self.other_tokens} are bytes and marks.",
            )
        return replace(self, merges=tokens - self.other_tokens)


def train_bpe(
    documents: Iterable[Document], settings: BpeSettings | None = None, *,
    on_progress: Callable[[int], None] = lambda done: None,
) -> MathTokenizer:
    """Trains a tokenizer on the fields of documents; the same documents give the same tokenizer.

    Tokens of LaTeX do not cross white space; those of text are made within words, digits and runs of signs, and those
    of text with LaTeX within these and commands. ``on_progress`` receives how many documents were read; the merges are
    found after the last. Ctrl-C ends the waiting at any time.

    :raises ConfigError: there is no text, or no formula, to train on.
    :raises MissingExtra: the library ``tokenizers`` is not installed.
    """
    settings = settings or BpeSettings()
    library = need("tokenizers", EXTRA, "training a tokenizer")
    tokenizer = library.Tokenizer(library.models.BPE())
    tokenizer.pre_tokenizer = _pre_tokenizer(library, settings.kind)
    tokenizer.decoder = library.decoders.ByteLevel()
    marks = [MATH, END_OF_MATH] if settings.kind == "joint" else []
    trainer = library.trainers.BpeTrainer(
        vocab_size=settings.merges + settings.other_tokens, min_frequency=settings.minimum_frequency,
        initial_alphabet=library.pre_tokenizers.ByteLevel.alphabet(), special_tokens=marks, show_progress=False,
        max_token_length=settings.longest,
    )
    reading = _TrainingTexts(documents, MathTokenizer(tokenizer, settings.kind, settings.latex), on_progress)
    _in_thread(lambda: tokenizer.train_from_iterator(iter(reading), trainer), reading)
    if not reading.pieces:
        content = "formulas" if settings.kind == "latex" else "text"
        raise ConfigError(f"there is no {content} to train a tokenizer on", hint="Is the source empty?")
    info = {
        "documents": reading.documents, "pieces": reading.pieces, "merges": settings.merges,
        "minimum_frequency": settings.minimum_frequency, "longest": settings.longest,
        "tokenizers": library.__version__,
    }
    return MathTokenizer(tokenizer, settings.kind, settings.latex, info)


def _pre_tokenizer(library: Any, kind: TokenizerKind) -> Any:
    pre = library.pre_tokenizers
    if kind == "latex":
        return pre.Sequence([pre.WhitespaceSplit(), pre.ByteLevel(add_prefix_space=False, use_regex=False)])
    if kind == "text":
        return pre.ByteLevel(add_prefix_space=False)
    return pre.Sequence([
        pre.Split(library.Regex(_PIECES), "isolated"), pre.ByteLevel(add_prefix_space=False, use_regex=False),
    ])


class _TrainingTexts:
    """The strings that a tokenizer is trained on, and how far the reading is. Ends early when it is stopped."""

    def __init__(
        self, documents: Iterable[Document], tokenizer: MathTokenizer, on_progress: Callable[[int], None]
    ) -> None:
        self._source = documents
        self._kind = tokenizer.kind
        self._written = lru_cache(_REMEMBERED)(lambda formula: tokenizer.written(parse(formula)))
        self._on_progress = on_progress
        self.documents = self.pieces = 0
        self.stopped = False

    def __iter__(self) -> Iterator[str]:
        for document in self._source:
            for content in document.fields.values():
                for piece in self._strings(content):
                    if self.stopped:
                        return
                    self.pieces += 1
                    yield piece
            self.documents += 1
            self._on_progress(self.documents)

    def _strings(self, content: Content) -> Iterator[str]:
        if self._kind != "latex":
            for text in content.text.split(PLACEHOLDER) if self._kind == "joint" else (content.text,):
                words = clean_text(text.replace(PLACEHOLDER, " ")).split()
                if words:
                    yield f" {' '.join(words)}"
        if self._kind != "text":
            for formula in content.formulas:
                source = clean_text(formula.source)
                latex = self._written(Formula(source, formula.notation))
                if latex.strip():
                    yield latex


def _in_thread(train: Callable[[], None], reading: _TrainingTexts) -> None:
    """Runs what cannot be interrupted beside this thread, which can; what it raises is raised here."""
    raised: list[BaseException] = []

    def work() -> None:
        try:
            train()
        except BaseException as error:  # handed on to the caller's thread
            raised.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.2)
    except BaseException:
        reading.stopped = True
        raise
    if raised:
        raise raised[0]
