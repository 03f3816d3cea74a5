"""As many distinct formulas as wanted, made from real ones.

The real formulas come first, shuffled; then variants of them: variables renamed, numbers changed, functions and
operators exchanged for others of their kind, and two formulas joined into one. What is drawn comes from how often the
collection has it, so that frequent symbols stay frequent. A variant has about as many tokens as the formula that was
drawn, a joined one too; only the very short ones become rarer, for there are not that many distinct ones.
Two formulas are distinct if their normalised forms (:func:`porism.formula.layout_key`) are.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import xxhash

from porism.formula import layout_key, parse_latex

RENAMED, NUMBER_CHANGED, EXCHANGED, JOINED = 0.7, 0.5, 0.2, 0.25
"""Chances: of each variable, of each number, of each function or operator; and that a formula is joined from two."""

NEW_NUMBER = 0.3
"""Of a changed number, the chance to become any number of as many digits, so that new ones keep coming."""

TRIES = 4
"""Variants tried of a formula before another is drawn."""

JOINTS = ("=", "=", "+", "-", ",", r"\leq ", r"\Rightarrow ", r"\cdot ", r"\in ")
MIN_JOINED_LENGTH = 7
"""Pieces from which on a formula may be replaced by two that are joined."""

_PIECE = re.compile(r"\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?|[a-zA-Z]|\s+|.", re.DOTALL)
_NAMING = frozenset(
    r"\begin \end \text \mbox \hbox \mathrm \textrm \textbf \textit \operatorname \label \tag \color \ref".split()
)
"""Commands whose argument is not mathematics, or a name: it stays as it is."""

_KINDS = (
    tuple(r"\sin \cos \tan \cot \sec \csc \arcsin \arccos \arctan".split()),
    tuple(r"\log \ln \exp \det \dim \ker".split()),
    tuple(r"\min \max \sup \inf \lim".split()),
    tuple(r"\sum \prod \bigcup \bigcap".split()),
    tuple(r"\leq \geq \le \ge < > \ll \gg".split()),
    ("=", r"\neq ", r"\equiv ", r"\approx ", r"\sim ", r"\cong "),
    tuple(r"\subset \subseteq \supset \supseteq \in".split()),
    tuple(r"\cup \cap \setminus \vee \wedge \times \otimes \oplus".split()),
    tuple(r"\to \rightarrow \Rightarrow \iff \implies \mapsto".split()),
    ("+", "-"),
)
_KIND_OF = {member.strip(): kind for kind in _KINDS for member in kind}
_GREEK = frozenset(
    r"\alpha \beta \gamma \delta \epsilon \varepsilon \zeta \eta \theta \lambda \mu \nu \xi \rho \sigma \tau \phi "
    r"\varphi \chi \psi \omega \Gamma \Delta \Omega \Phi \Psi \Lambda".split()
)
_FIXED = frozenset("de")
"""Letters that mean something else more often than a variable."""


@dataclass(frozen=True, slots=True)
class _Base:
    """A formula in pieces, and which of them can be changed."""

    pieces: list[str]
    variables: list[int]
    numbers: list[int]
    kinds: list[int]


def variants(formulas: Sequence[str], seed: int = 7) -> Iterator[str]:
    """Distinct formulas without end, the real ones (LaTeX) first; the same arguments give the same ones."""
    random = Random(seed)
    maker = Maker(formulas, random)
    seen: set[int] = set()
    shuffled = list(formulas)
    random.shuffle(shuffled)
    for latex in shuffled:
        if _is_new(latex, seen):
            yield latex
    while True:
        base = maker.draw()
        for _ in range(TRIES):
            latex = maker.variant(base)
            if _is_new(latex, seen):
                yield latex
                break


def length(latex: str) -> int:
    """Tokens of a formula, blanks not counted."""
    return sum(not piece.isspace() for piece in _PIECE.findall(latex))


def _is_new(latex: str, seen: set[int]) -> bool:
    key = xxhash.xxh3_64_intdigest(layout_key(parse_latex(latex)).encode("utf-8", "surrogatepass"))
    if key in seen:
        return False
    seen.add(key)
    return True


class Maker:
    """Makes variants of formulas (LaTeX), with chances from a generator of random numbers."""

    def __init__(self, formulas: Sequence[str], random: Random | None = None) -> None:
        self.random = (random or Random()).random
        bases = sorted(map(_pieces, formulas), key=lambda base: len(base.pieces))
        self.bases = [base for base in bases if base.variables or base.numbers or base.kinds]
        self.lengths = [len(base.pieces) for base in self.bases]
        self.pools: dict[str, list[str]] = {"small": [], "large": [], "greek": []}
        self.numbers: list[str] = []
        for base in self.bases:
            for position in base.variables:
                piece = base.pieces[position]
                self.pools[_class(piece)].append(piece)
            self.numbers += [base.pieces[position] for position in base.numbers]
        self.letters = [letter for pool in self.pools.values() for letter in pool]

    def numbered(self, seed: int, number: int) -> str:
        """A variant of any formula: always the same for a seed and a number, nearly always another for another."""
        self.random = Random(f"{seed} {number}").random
        return self.variant(self.draw())

    def draw(self) -> _Base:
        """Any formula."""
        return self.bases[int(self.random() * len(self.bases))]

    def variant(self, base: _Base) -> str:
        """A variant of a formula, or one as long that two make."""
        size = len(base.pieces)
        if size < MIN_JOINED_LENGTH or self.random() >= JOINED:
            return self._changed(base)
        first = self._of_length(2, size - 3)
        second = self._of_length(1, size - 1 - len(first.pieces))
        joint = JOINTS[int(self.random() * len(JOINTS))]
        return f"{self._changed(first)}{joint}{self._changed(second)}"

    def _of_length(self, least: int, most: int) -> _Base:
        """A formula of such a length, each length as likely as another: the two parts share what there is."""
        wanted = least + int(self.random() * max(1, most - least + 1))
        low = bisect_left(self.lengths, wanted)
        high = bisect_right(self.lengths, wanted)
        if low == high:  # no formula is exactly that long
            low = max(0, low - 1)
            high = low + 1
        return self.bases[low + int(self.random() * (high - low))]

    def _changed(self, base: _Base) -> str:
        random = self.random
        pieces = base.pieces.copy()
        names: dict[str, str] = {}
        for position in base.variables:
            name = pieces[position]
            new = names.get(name)
            if new is None:
                pool = self.pools[_class(name)] if random() < 0.85 else self.letters
                new = names[name] = pool[int(random() * len(pool))] if random() < RENAMED else name
            # A command that now stands before a letter must end.
            pieces[position] = new + " " if new[0] == "\\" else new
        for position in base.numbers:
            if random() < NUMBER_CHANGED:
                if random() < NEW_NUMBER:
                    digits = min(len(pieces[position]), 6)
                    pieces[position] = str(int(random() * 10**digits))
                else:
                    pieces[position] = self.numbers[int(random() * len(self.numbers))]
        for position in base.kinds:
            if random() < EXCHANGED:
                kind = _KIND_OF[pieces[position]]
                new = kind[int(random() * len(kind))]
                pieces[position] = new + " " if new[0] == "\\" else new
        return "".join(pieces)


def _class(variable: str) -> str:
    return "greek" if variable[0] == "\\" else "small" if variable.islower() else "large"


def _pieces(latex: str) -> _Base:
    pieces = _PIECE.findall(latex)
    base = _Base(pieces, [], [], [])
    named, depth = False, 0  # depth of braces inside the argument of a naming command
    for position, piece in enumerate(pieces):
        if depth:
            depth += (piece == "{") - (piece == "}")
        elif named:
            named = piece.isspace()
            depth = int(piece == "{")
        elif piece in _NAMING:
            named = True
        elif piece in _KIND_OF:
            base.kinds.append(position)
        elif piece in _GREEK or (len(piece) == 1 and piece.isascii() and piece.isalpha() and piece not in _FIXED):
            base.variables.append(position)
        elif piece[0].isdigit():
            base.numbers.append(position)
    return base
