"""Macros that wikis define for all of their formulas, which their dumps do not contain."""

from __future__ import annotations

from string import ascii_uppercase

_BRACKETS = {
    "struct": "( )", "paren": "( )", "tuple": "( )", "ideal": "( )", "sqbrk": "[ ]", "set": r"\{ \}",
    "fractpart": r"\{ \}", "size": "| |", "cmod": "| |", "order": "| |", "card": "| |",
    "sequence": r"\langle \rangle", "family": r"\langle \rangle", "gen": r"\langle \rangle",
    "ceiling": r"\lceil \rceil", "floor": r"\lfloor \rfloor",
}  # fmt: skip
_INTERVALS = {"closedint": "[]", "openint": "()", "hointr": "[)", "hointl": "(]"}
_OPERATORS = "Dom Img Rng Preimg Cdm Stab Orb Inn Int Fix Char Card Ln Log GL SL On cl pr inj arcoth arcsch arsech"
_OTHERS = r"""
\newcommand{\map}[2]{#1\left(#2\right)} \newcommand{\ds}{\displaystyle} \newcommand{\rd}{\,\mathrm{d}}
\newcommand{\d}{\mathrm{d}} \newcommand{\powerset}[1]{\mathcal{P}\left(#1\right)} \newcommand{\degrees}{^\circ}
\newcommand{\eqclass}[2]{\left[\!\left[#1\right]\!\right]_{#2}}
\newcommand{\relcomp}[2]{\complement_{#1}\left(#2\right)}
\newcommand{\innerprod}[2]{\left\langle #1, #2\right\rangle} \newcommand{\symdif}{\mathbin{\triangle}}
\newcommand{\laptrans}[1]{\mathcal{L}\left\{#1\right\}} \newcommand{\index}[2]{\left[#1:#2\right]}
\newcommand{\inv}[2]{#1^{-1}\left(#2\right)} \newcommand{\bszero}{\mathbf{0}} \newcommand{\bsone}{\mathbf{1}}
\newcommand{\GF}{\mathbb{F}} \newcommand{\T}{T} \newcommand{\expect}[1]{E\left(#1\right)} \newcommand{\divides}{\mid}
"""

MACROS: dict[str, str] = {
    "proofwiki.org": "\n".join((
        *(rf"\newcommand{{\{name}}}[1]{{\left{left} #1\right{right}}}" for name, ends in _BRACKETS.items()
          for left, right in [ends.split()]),
        *(rf"\newcommand{{\{name}}}[2]{{\left{ends[0]}#1, #2\right{ends[1]}}}" for name, ends in _INTERVALS.items()),
        *(rf"\newcommand{{\{name}}}{{\operatorname{{{name}}}}}" for name in _OPERATORS.split()),
        *(rf"\newcommand{{\{letter}{letter}}}{{\mathcal{{{letter}}}}}" for letter in ascii_uppercase),
        _OTHERS,
    )),
}
"""The end of a wiki's host name → the definitions, in LaTeX."""


def macros_of(base: str) -> str:
    """The macros of the wiki at an address."""
    host = base.partition("//")[2].partition("/")[0].lower()
    return next((latex for name, latex in MACROS.items() if host == name or host.endswith(f".{name}")), "")
