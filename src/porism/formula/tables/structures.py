r"""Fractions, roots, accents, fonts, matrices: what takes arguments, and its names beside LaTeX's, as data.

A line is ``opening | separator | closing | arguments | AsciiMath | Typst | Lean``. What is before, between and after
the arguments is LaTeX; ``*`` arguments are as many as there are. The first name of a notation is the one that is
written.
"""

from __future__ import annotations

from typing import NamedTuple

_LINES = r"""
    \frac{ | }{ | } | 2 | frac | frac |
    \binom{ | }{ | } | 2 | binom | binom | Nat.choose choose
    \sqrt{ | | } | 1 | sqrt √ | sqrt √ | Real.sqrt NNReal.sqrt sqrt √
    \sqrt[3]{ | | } | 1 | ∛ | ∛ | ∛
    \sqrt[4]{ | | } | 1 | ∜ | ∜ | ∜
    \sqrt[ | ]{ | } | 2 | root | root |
    \vert | | \vert | 1 | abs | abs | abs
    \Vert | | \Vert | 1 | norm | norm | norm Norm.norm
    \lfloor | | \rfloor | 1 | floor | floor | Int.floor Nat.floor
    \lceil | | \rceil | 1 | ceil | ceil | Int.ceil Nat.ceil
    { | | }! | 1 | | | Nat.factorial factorial
    [ | , | ] | 2 | | | Set.Icc Finset.Icc Icc
    ( | , | ) | 2 | | | Set.Ioo Finset.Ioo Ioo
    [ | , | ) | 2 | | | Set.Ico Finset.Ico Ico
    ( | , | ] | 2 | | | Set.Ioc Finset.Ioc Ioc
    \overset{ | }{ | } | 2 | overset stackrel | |
    \underset{ | }{ | } | 2 | underset | |
    \hat{ | | } | 1 | hat widehat | hat |
    \tilde{ | | } | 1 | tilde widetilde | tilde |
    \bar{ | | } | 1 | overline bar | overline macron |
    \underline{ | | } | 1 | ul underline | underline |
    \vec{ | | } | 1 | vec overarrow | arrow |
    \overleftarrow{ | | } | 1 | overleftarrow | arrow.l |
    \overleftrightarrow{ | | } | 1 | overleftrightarrow | arrow.l.r |
    \dot{ | | } | 1 | dot | dot |
    \ddot{ | | } | 1 | ddot | dot.double diaer |
    \dddot{ | | } | 1 | dddot | dot.triple |
    \check{ | | } | 1 | check | caron |
    \breve{ | | } | 1 | breve | breve |
    \acute{ | | } | 1 | acute | acute |
    \grave{ | | } | 1 | grave | grave |
    \mathring{ | | } | 1 | mathring | circle |
    \overbrace{ | }^{ | } | 1 | overbrace obrace | overbrace |
    \underbrace{ | }_{ | } | 1 | underbrace ubrace | underbrace |
    \overbracket{ | }^{ | } | 1 | overbracket | overbracket |
    \underbracket{ | }_{ | } | 1 | underbracket | underbracket |
    \overparen{ | }^{ | } | 1 | overparen overarc | overparen |
    \underparen{ | }_{ | } | 1 | underparen | underparen |
    \mathbf{ | | } | 1 | bb mathbf | bold |
    \mathbb{ | | } | 1 | bbb mathbb | bb |
    \mathcal{ | | } | 1 | cc mathcal | cal |
    \mathscr{ | | } | 1 | mathscr | scr |
    \mathfrak{ | | } | 1 | fr mathfrak | frak |
    \mathsf{ | | } | 1 | sf mathsf | sans |
    \mathtt{ | | } | 1 | tt mathtt | mono |
    \mathit{ | | } | 1 | it mathit | italic |
    \mathrm{ | | } | 1 | rm mathrm | upright |
    \operatorname{ | | } | 1 | op operatorname | op |
    \cancel{ | | } | 1 | cancel | cancel |
    { | | } | 1 | | lr display inline script sscript scripts mid text stretch |
    {{ | | }} | 1 | | limits |
    { | | } | * | | attach |
    \begin{pmatrix} | \\ | \end{pmatrix} | * | | vec |
    \begin{pmatrix} | & | \end{pmatrix} | * | ■ | mat ■ |
    \begin{cases} | \\ | \end{cases} | * | cases | cases |
    \begin{gathered} | \\ | \end{gathered} | * | █ | █ |
"""


class Structure(NamedTuple):
    """What takes arguments: the LaTeX before, between and after them, and how many there are (0: any number)."""

    opening: str
    separator: str
    closing: str
    arguments: int


def _rows() -> tuple[tuple[Structure, tuple[tuple[str, ...], ...]], ...]:
    rows = []
    for line in _LINES.strip().splitlines():
        opening, separator, closing, arguments, *names = (cell.strip() for cell in line.split("|"))
        structure = Structure(opening, separator, closing, 0 if arguments == "*" else int(arguments))
        rows.append((structure, tuple(tuple(cell.split()) for cell in names)))
    return tuple(rows)


_ROWS = _rows()
_COLUMNS = ("asciimath", "typst", "lean")

STRUCTURES: dict[str, dict[str, Structure]] = {
    notation: {name: structure for structure, names in _ROWS for name in names[column]}
    for column, notation in enumerate(_COLUMNS)
}
"""Notation → its names of structures."""

STRUCTURE_NAMES: dict[str, dict[str, str]] = {
    notation: {structure.opening: names[column][0] for structure, names in reversed(_ROWS) if names[column]}
    for column, notation in enumerate(_COLUMNS)
}
"""Notation → LaTeX that a structure opens with → the name that is written."""

STRUCTURE_OF = {structure.opening: structure for structure, _ in reversed(_ROWS)}
"""LaTeX that a structure opens with → the structure."""
