"""What templates of wikis stand for: tables of those that print text or formulas, and what is kept of others.

``#1`` is the first argument of a template, and ``#*`` stands for all that have no name. Where an entry has several
patterns, the number of arguments chooses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from porism.corpus.latex.tables import words

FORMULAS: dict[str, tuple[str, ...]] = {
    "math": ("#1",), "mvar": ("#1",), "bigmath": ("#1",), "tmath": ("#1",), "var": ("#1",),
    "sfrac": (r"\frac{1}{#1}", r"\frac{#1}{#2}", r"#1\frac{#2}{#3}"),
    "frac": (r"\frac{1}{#1}", r"\frac{#1}{#2}", r"#1\frac{#2}{#3}"),
    "dfrac": (r"\frac{1}{#1}", r"\frac{#1}{#2}", r"#1\frac{#2}{#3}"),
    "fraction": (r"\frac{1}{#1}", r"\frac{#1}{#2}", r"#1\frac{#2}{#3}"), "overbar": (r"\overline{#1}",),
    "sqrt": (r"\sqrt{#1}", r"\sqrt[#2]{#1}"), "radical": (r"\sqrt{#1}", r"\sqrt[#2]{#1}"),
    "radic": (r"\sqrt{#1}", r"\sqrt[#2]{#1}"),
    "abs": (r"\left|#1\right|",), "mabs": (r"\left|#1\right|",), "norm": (r"\left\|#1\right\|",),
    "floor": (r"\lfloor #1\rfloor",), "ceil": (r"\lceil #1\rceil",), "overline": (r"\overline{#1}",),
    "vec": (r"\vec{#1}",), "overset": (r"#1", r"\overset{#1}{#2}"), "underset": (r"#1", r"\underset{#1}{#2}"),
    "binom": ("#1", r"\binom{#1}{#2}"), "binomial": ("#1", r"\binom{#1}{#2}"), "angbr": (r"\langle #1\rangle",),
    "angle bracket": (r"\langle #1\rangle",), "bra": (r"\langle #1|",), "ket": (r"|#1\rangle",),
    "bra-ket": (r"\langle #1\rangle", r"\langle #1|#2\rangle"), "braket": (r"#1", r"\langle #1|#2\rangle"),
    "intmath": (r"\int", r"\int_{#2}", r"\int_{#2}^{#3}"), "set": (r"\{#1\}",), "mset": (r"\{#1\}",),
    "closed-closed": ("[#1]",), "closed-open": ("[#1)",), "open-closed": ("(#1]",), "open-open": ("(#1)",),
}  # fmt: skip
"""Templates that are formulas: name → LaTeX."""

_SYMBOLS = (
    "pi=π tau=τ phi=φ gamma=γ hbar=ℏ prime=′ pprime=″ times=× minus=− plusminus=± pm=± dot=· middot=· sdot=· bullet=• "
    "ndash=– mdash=— langle=⟨ rangle=⟩ in=∈ infin=∞ qed=∎ pipe=| mid=| !=| !!=|| !-=|- '=' ((={{ ))=}} (={ )=} "
    "begin-eqn=\x04 begin-axiom=\x04 end-eqn=\x05 end-axiom=\x05"
)
TEXTS: dict[str, tuple[str, ...]] = {
    **{name: (text,) for name, _, text in (entry.partition("=") for entry in _SYMBOLS.split())},
    **dict.fromkeys(words(
        "nowrap nobr nobreak em strong small big larger smaller i b u val linktext vanchor abbr quote blockquote "
        "quotation noitalic nobold italics center block indent ill as gaps gapnum num cquote tooltip"
    ), ("#1",)),
    **dict.fromkeys(("visible anchor", "not a typo", "interlanguage link", "block indent", "nowrap begin"), ("#1",)),
    **dict.fromkeys(("nbsp", "sp", "thinsp", "thin space", "hairsp"), (" ",)),
    **dict.fromkeys(("snd", "spnd", "spaced ndash"), (" – ",)),
    **dict.fromkeys(("equationref", "equationnote", "eqnref"), ("(#1)",)),
    **dict.fromkeys(("ordered list", "unordered list", "bulleted list", "plainlist", "flatlist", "hlist"), ("#*",)),
    "=": ("=",), "lang": ("#1", "#2"), "transliteration": ("#1", "#2", "#3"), "transl": ("#1", "#2", "#3"),
    "sup": ("<sup>#1</sup>",), "sub": ("<sub>#1</sub>",), "e": ("×10<sup>#1</sup>",), "10^": ("10<sup>#1</sup>",),
    "su": ("<sup>#p</sup><sub>#b</sub>",), "numblk": ("#1", "#1#2 (#3)"), "iff": ("if and only if",),
    "wlog": ("Without loss of generality",), "wrt": ("with respect to",), "tfae": ("The following are equivalent",),
}  # fmt: skip
"""Templates that are text: name → wikitext or HTML."""

ROWS: dict[str, tuple[tuple[str, ...], str]] = {
    "eqn": (("ll", "lll", "l", "o", "r", "rr", "rrr"), "c"), "axiom": (("q", "m"), "t"),
}  # fmt: skip
"""Templates that are rows of displayed formulas: the arguments with LaTeX in their order, and that with words."""

RELATIONS = {"eqn": "=", "axiom": ""}
"""What a row has where its argument ``o`` is not given."""

RAW = frozenset(("tmath",))
"""Formula templates whose argument is LaTeX."""

DROPPED = re.compile(
    r"""
    cite | r\Z | citation | sfn | harv | refn?\b | efn | rp\b | main\b | see\b | further | about | for\b | redirect
    | distinguish | short\ desc | hatnote | use\ \w+\ (?:dates|english) | infobox | taxobox | navbox | sidebar | portal
    | commons | wik | authority | reflist | notelist | refbegin | refend | default | good\ article | featured | pp-
    | protection | multiple\ issues | more | unreferenced | unsourced | clarify | cleanup | cn\b | fact\b | by\ whom
    | who\b | when\b | dubious | expand | stub | isbn | issn | doi | arxiv | oeis | mathworld | clear | springer
    | planetmath | nlab | math\ ?genealogy | mactutor | anchor | toc | col | div\ col | end | font | tag\b | refactor
    | explain | missing | improve | bookreference | namedfor | link-?to-?category | proofread | questionable | delete
    | merge | move | disambig | dmy | mdy
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Beginnings of the names of templates about the page and its sources, which are left out without a word."""

STATEMENTS = ("math_statement", "statement", "proof", "content", "text", "contenu", "2", "1")
"""The arguments in which theorem-like templates have their text, in the order of search."""
TITLES = ("name", "title", "titre", "note", "nom")
"""Those in which they have their title."""

_ARGUMENT = re.compile(r"#([\w*])")


def filled(patterns: tuple[str, ...], arguments: Mapping[str, str]) -> str:
    """The pattern for so many arguments, with these in it."""
    unnamed = [value for key, value in arguments.items() if key.isdecimal()]
    count = len(unnamed)
    pattern = patterns[min(max(count, 1), len(patterns)) - 1]
    values = {"*": "<br>".join(unnamed), **arguments}
    return _ARGUMENT.sub(lambda match: values.get(match[1], ""), pattern) if "#" in pattern else pattern
