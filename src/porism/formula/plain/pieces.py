"""What a plain formula becomes: tokens of LaTeX with their places in the source, some of them put in afterwards."""

from __future__ import annotations

from functools import lru_cache

from porism.formula.latex.text import MAX_NAME_LENGTH
from porism.formula.latex.tokens import Tokens, tokenize


@lru_cache(maxsize=512)
def tokens_of(latex: str) -> tuple[str, ...]:
    """The tokens of some LaTeX from a table."""
    return tuple(tokenize(latex).texts[:-2])


class Pieces:
    """LaTeX tokens that are being put together; ``texts`` may be changed, an empty one is left out."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self._before: dict[int, list[str]] = {}

    def __len__(self) -> int:
        return len(self.texts)

    def add(self, text: str, start: int, end: int) -> None:
        """Adds a token."""
        self.texts.append(text)
        self.starts.append(start)
        self.ends.append(end)

    def add_latex(self, latex: str, start: int, end: int) -> None:
        """Adds the tokens of some LaTeX, all of them with one span."""
        for text in tokens_of(latex):
            self.add(text, start, end)

    def add_name(self, name: str, start: int, end: int) -> None:
        """Adds ``\\operatorname{name}``; a name of ASCII letters and digits is one token in it."""
        if name.isascii() and name.isalnum() and name[0].isalpha() and len(name) < MAX_NAME_LENGTH:
            self.texts += ("\\operatorname", "{", name, "}")
            self.starts += (start, start, start, start)
            self.ends += (end, end, end, end)
        else:
            self.add_latex(f"\\operatorname{{{name}}}", start, end)

    def close(self, latex: str) -> None:
        """Adds LaTeX that ends where the last token ends."""
        end = self.ends[-1] if self.ends else 0
        self.add_latex(latex, end, end)

    def put_before(self, index: int, latex: str) -> None:
        """Puts LaTeX before a token; what is put there later comes first."""
        self._before.setdefault(index, []).append(latex)

    def cut(self, start: int) -> None:
        """Takes away the tokens from an index on."""
        for index in range(start, len(self.texts)):
            self._before.pop(index, None)
        del self.texts[start:], self.starts[start:], self.ends[start:]

    def swap(self, start: int, middle: int) -> None:
        """Puts the tokens from ``middle`` on before those from ``start`` on."""
        length, end = middle - start, len(self.texts)
        self.texts[start:] = self.texts[middle:] + self.texts[start:middle]
        self.starts[start:] = self.starts[middle:] + self.starts[start:middle]
        self.ends[start:] = self.ends[middle:] + self.ends[start:middle]
        self._before = {
            index if index < start else index + end - middle if index < middle else index - length: latex
            for index, latex in self._before.items()
        }

    def tokens(self) -> Tokens:
        """All tokens in their order, with the two empty ones at the end."""
        result = Tokens([], [], [])
        before = self._before
        for i, (text, start, end) in enumerate(zip(self.texts, self.starts, self.ends, strict=True)):
            if i in before:
                for latex in reversed(before[i]):
                    for added in tokens_of(latex):
                        _append(result, added, start, start)
            if text:
                _append(result, text, start, end)
        end = self.ends[-1] if self.ends else 0
        _append(result, "", end, end)
        _append(result, "", end, end)
        return result


def _append(tokens: Tokens, text: str, start: int, end: int) -> None:
    tokens.texts.append(text)
    tokens.starts.append(start)
    tokens.ends.append(end)
