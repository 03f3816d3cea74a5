"""Byte-pair encoding: tokenizers of text, of LaTeX, and of text with LaTeX, kept in a file and used as channels.

A file holds a tokenizer of the library ``tokenizers`` and what it reads: its *kind*, and the form of its formulas. A
plain file of that library (``tokenizer.json``) will do too: it reads text, or text with LaTeX if it has the tokens
``[MATH]`` and ``[/MATH]``. Sources: Sennrich et al., *Neural Machine Translation of Rare Words with Subword Units* (ACL
2016); Novotný and Štefánik, *Combining Sparse and Dense Information Retrieval: Soft Vector Space Model and MathBERTa
at ARQMath-3 Task 1* (CLEF 2022).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import orjson
import xxhash

from porism.analysis.documents import clean_text
from porism.errors import ConfigError, IndexCorrupt, IndexUnreadable
from porism.extras import need
from porism.formula import LayoutTree, to_latex
from porism.formula.extractors.latex import source_latex, unified_tokens
from porism.system.concurrency.caching import cached_property
from porism.system.files.artifacts import TOKENIZERS
from porism.system.files.durable import make_folder, replace_file, storage_errors, sync_folder
from porism.system.files.text import write_whole
from porism.types import PLACEHOLDER, Content, Formula

if TYPE_CHECKING:
    from tokenizers import Tokenizer

TokenizerKind = Literal["latex", "text", "joint"]
"""What a tokenizer reads: formulas, the text between them, or both in one stream."""

LatexForm = Literal["normalised", "source", "unified"]
"""How it reads a formula: LaTeX in one spelling, as the author wrote it, or the tokens of the channel ``unified``."""

MATH, END_OF_MATH = "[MATH]", "[/MATH]"
"""The tokens around a formula in text with LaTeX."""

FORMAT = 1
EXTRA = "embeddings"
_SPACES = "ĠĊĉč"


class MathTokenizer:
    """A tokenizer with what it reads; ``info`` says what it was trained on. Safe to share between threads."""

    def __init__(
        self, tokenizer: Tokenizer, kind: TokenizerKind, latex: LatexForm = "normalised",
        info: Mapping[str, Any] | None = None,
    ) -> None:
        self.tokenizer = tokenizer
        self.kind = kind
        self.latex = latex
        self.info = dict(info or {})

    def __len__(self) -> int:
        """How many different tokens there are."""
        return int(self.tokenizer.get_vocab_size())

    def tokens(self, text: str) -> list[str]:
        """The tokens of a string as the vocabulary writes them, those of nothing but space left out.

        A character of UTF-8 beyond ASCII appears as the letters that byte-level encoding has for its bytes.
        """
        if not text:
            return []
        known = self._vocabulary
        ids = self.tokenizer.encode_batch_fast([clean_text(text)], add_special_tokens=False)[0].ids
        return [token for token in map(known.__getitem__, ids) if token]

    @cached_property
    def _vocabulary(self) -> dict[int, str]:
        """Number → token, empty for one of nothing but space."""
        return {number: token if token.strip(_SPACES) else "" for token, number in self.tokenizer.get_vocab().items()}

    def written(self, layout: LayoutTree) -> str:
        """A formula in the form in which this tokenizer reads it."""
        if self.latex == "source":
            return source_latex(layout)
        if self.latex == "unified":
            return ("" if self.kind == "latex" else " ").join(unified_tokens(layout))
        return to_latex(layout, spaces=False)

    def formula_terms(self, layout: LayoutTree) -> list[str]:
        """The tokens of a formula."""
        return self.tokens(self.written(layout))

    def terms(self, content: Content, written: Callable[[Formula], str]) -> list[str]:
        """The tokens of a content: of its text, and for a tokenizer of both of its formulas in place between
        ``[MATH]`` and ``[/MATH]``; ``written`` gives a formula in the form that this tokenizer reads."""
        pieces = content.text.split(PLACEHOLDER)
        if self.kind == "text":
            return self.tokens(_spaced(" ".join(pieces)))
        parts = [_spaced(pieces[0])]
        for formula, piece in zip(content.formulas, pieces[1:], strict=True):
            parts += (MATH, written(formula), END_OF_MATH, _spaced(piece))
        return self.tokens("".join(parts))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the file, in one step.

        :raises SourceError: it cannot be written.
        """
        value = {
            "porism_tokenizer": FORMAT, "kind": self.kind, "latex": self.latex, "info": self.info,
            "tokenizer": orjson.loads(self.tokenizer.to_str()),
        }
        return write_whole(path, orjson.dumps(value) + b"\n")


def _spaced(text: str) -> str:
    """Text with single blanks between its words and one before them: a word reads the same wherever it is."""
    words = text.split()
    return f" {' '.join(words)}" if words else ""


@dataclass(frozen=True, slots=True)
class TokenizerReference:
    """Which tokenizer an index uses under a name: its kind and the digest of its file; ``path`` is where it lies."""

    name: str
    kind: TokenizerKind
    digest: str
    path: str = field(default="", compare=False)

    @property
    def channel(self) -> str:
        """The channel of its tokens."""
        return f"bpe:{self.name}"

    def load(self) -> MathTokenizer:
        """The tokenizer; one that this process has read stays in memory.

        :raises IndexCorrupt: the file is missing or was changed.
        :raises MissingExtra: the library is not installed.
        """
        if not self.path:
            raise ConfigError(
                f"where the tokenizer {self.name!r} lies is not known", hint="Read the configuration with its folder."
            )
        return _loaded(self.path, self.digest)

    def check(self) -> None:
        """Looks whether the file is there and the same.

        :raises IndexCorrupt: it is missing or was changed.
        """
        _bytes_of(self.path, self.digest)


@lru_cache(8)
def _loaded(path: str, digest: str) -> MathTokenizer:
    return _parse(_bytes_of(path, digest), path)


def _bytes_of(path: str, digest: str) -> bytes:
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError as error:
        raise IndexCorrupt(
            f"the tokenizer cannot be read ({error.strerror})", where=path,
            hint="Put the file back, or index the collection again.",
        ) from error
    except OSError as error:
        raise IndexUnreadable(
            f"the tokenizer cannot be read ({error.strerror or error})", where=path,
            hint="Look at its mode, and at how many files are open; nothing says that it is damaged.",
        ) from error
    if xxhash.xxh3_128_hexdigest(data) != digest:
        raise IndexCorrupt(
            "this is not the tokenizer that the index was made with", where=path,
            hint="Put the file back, or index the collection again.",
        )
    return data


def load_tokenizer(path: str | os.PathLike[str]) -> MathTokenizer:
    """Reads a file of :meth:`MathTokenizer.save`, or a plain one of the library ``tokenizers``.

    :raises ConfigError: it is missing, unreadable or no tokenizer.
    :raises MissingExtra: the library is not installed.
    """
    return _parse(_given(path), os.fspath(path))


def tokenizer_reference(name: str, path: str | os.PathLike[str]) -> TokenizerReference:
    """A reference to a tokenizer's file.

    :raises ConfigError: the name or the file does not do.
    :raises MissingExtra: the library is not installed.
    """
    TOKENIZERS.check_name(name)
    data = _given(path)
    tokenizer = _parse(data, os.fspath(path))
    return TokenizerReference(name, tokenizer.kind, xxhash.xxh3_128_hexdigest(data), os.path.abspath(path))


def keep_tokenizers(references: Iterable[TokenizerReference], folder: str | os.PathLike[str]) -> None:
    """Copies tokenizers into the folder of an index, durably.

    :raises IndexCorrupt: one is missing or was changed since.
    :raises StorageError: the folder cannot be written.
    """
    for reference in references:
        data = _bytes_of(reference.path, reference.digest)
        target = TOKENIZERS.path(folder, reference.name)
        make_folder(target.parent)
        if target.exists() and target.read_bytes() == data:
            with storage_errors(target):
                sync_folder(target.parent)  # whoever wrote it may have been killed before
        else:
            replace_file(target, data)


def _given(path: str | os.PathLike[str]) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ConfigError(
            f"the tokenizer cannot be read ({error.strerror or error})", where=os.fspath(path),
            hint="Train one with: porism train tokenizer NAME",
        ) from error


def _parse(data: bytes, path: str) -> MathTokenizer:
    tokenizers = need("tokenizers", EXTRA, "a channel of byte-pair encoding")
    try:
        value = orjson.loads(data)
        if not isinstance(value, dict):
            raise ValueError("it is not a table")
        held = value.get("porism_tokenizer")
        if held is not None and held != FORMAT:
            raise ValueError(f"its format is {held!r}, and this version reads {FORMAT}")
        plain = data.decode() if held is None else orjson.dumps(value["tokenizer"]).decode()
        kind, latex, info = value.get("kind"), value.get("latex", "normalised"), value.get("info", {})
        if held is not None and (kind not in get_args(TokenizerKind) or latex not in get_args(LatexForm)):
            raise ValueError(f"its kind is {kind!r} and its form of LaTeX {latex!r}")
        tokenizer = tokenizers.Tokenizer.from_str(plain)
    except Exception as error:  # the library raises bare exceptions
        raise ConfigError(f"this is not a tokenizer ({error})", where=path) from error
    if held is None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        both = tokenizer.token_to_id(MATH) is not None and tokenizer.token_to_id(END_OF_MATH) is not None
        return MathTokenizer(tokenizer, "joint" if both else "text", "source")
    return MathTokenizer(tokenizer, cast("TokenizerKind", kind), cast("LatexForm", latex), info)
