"""A given tokenizer with more tokens: a tokenizer of text that learns to read LaTeX."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from porism.analysis.tokenizers.tokenizer import END_OF_MATH, EXTRA, MATH, MathTokenizer
from porism.extras import need

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def extend_tokenizer(
    tokenizer: Tokenizer, tokens: Iterable[str], marks: Iterable[str] = (MATH, END_OF_MATH)
) -> list[str]:
    """Adds to a tokenizer the marks and those of the tokens that its vocabulary has not, in their order, and returns
    them; the ids that there were stay, and the new ones follow. Adding the same again adds nothing.

    Tokens are given as they are written in a text (:func:`written_tokens`). An added token is found wherever it stands
    in a text, before the tokenizer splits the rest; one of letters alone only as a word of its own, so that words which
    hold it are read as before. As in Novotný and Štefánik (2022), who extend that of roberta-base.

    :raises MissingExtra: the library ``tokenizers`` is not installed.
    """
    library = need("tokenizers", EXTRA, "extending a tokenizer")
    known = set(tokenizer.get_vocab())
    new_marks = [mark for mark in dict.fromkeys(marks) if mark not in known]
    known.update(new_marks)
    new = [token for token in dict.fromkeys(tokens) if token.strip() and token not in known]
    tokenizer.add_special_tokens([library.AddedToken(mark, normalized=False, special=True) for mark in new_marks])
    tokenizer.add_tokens([
        library.AddedToken(token, normalized=False, single_word=token.isalpha()) for token in new
    ])
    return new_marks + new


def written_tokens(tokenizer: MathTokenizer) -> list[str]:
    """The tokens of a tokenizer as they are written in a text, in the order of their ids; parts of characters are left
    out."""
    vocabulary: dict[str, int] = tokenizer.tokenizer.get_vocab()
    found: list[str] = []
    for token in sorted(vocabulary, key=vocabulary.__getitem__):
        if token in (MATH, END_OF_MATH):
            continue
        try:
            text = bytes(map(_byte_of().__getitem__, token)).decode()
        except (KeyError, UnicodeDecodeError):
            continue
        if text.strip():
            found.append(text)
    return found


@lru_cache(1)
def _byte_of() -> dict[str, int]:
    """The letters of byte-level encoding: printable bytes stand for themselves, the others for letters from U+0100."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    table = {chr(byte): byte for byte in printable}
    others = (byte for byte in range(256) if byte not in printable)
    table.update((chr(0x100 + number), byte) for number, byte in enumerate(others))
    return table
