"""The commands of a Lean file that declare something, or change what declarations mean."""

from __future__ import annotations

import re

from porism.corpus.lean.names import NAME

KINDS = (
    "theorem", "lemma", "def", "abbrev", "instance", "structure", "class", "inductive", "coinductive", "axiom", "opaque",
    "irreducible_def", "alias",
)
"""The keywords of declarations."""

BLOCKS = frozenset(("structure", "class", "class inductive", "inductive", "coinductive", "axiom", "opaque"))
"""Kinds that have no value: what follows to the next command is all their statement."""

_ATTRIBUTES = r"@\[(?:[^\[\]]++|\[(?:[^\[\]]++|\[[^\[\]]*+\])*+\])*+\]"
_MODIFIERS = "private protected public noncomputable computable nonrec unsafe partial local scoped meta".split()
_COMMAND = (
    rf"(?:(?P<head>(?:{_ATTRIBUTES}\s*|(?:{'|'.join(_MODIFIERS)})\b(?:\[[^\]\n]*\])?\s+)*+)"
    rf"(?:(?P<kind>(?:class[ \t]+(?:abbrev|inductive)|{'|'.join(KINDS)}))(?![\w.'!?])"
    rf"(?:\s*\(prior?i?t?y?\s*:=[^()\n]*\))?(?:\s+(?P<name>{NAME}))?"
    r"|(?P<scope>namespace|section|mutual)(?![\w.'!?])|(?P<command>attribute|open)(?![\w.'!?]))"
    r"|(?P<plain>end|variable|include|omit|initialize_simps_projections|\#align)(?![\w.'!?]))"
)
_ON_LINE = re.compile(rf"\n[ \t]*{_COMMAND}")
"""A command that counts at the beginning of a line, with its attributes and modifiers and, for a declaration, its
name."""
_BEHIND_IN = re.compile(rf" in[ \t]+{_COMMAND}")
"""A command on the line of another that holds for it: ``open Nat in theorem …``."""


def commands(bare: str) -> list[re.Match[str]]:
    """The commands of a text without comments, in order."""
    matches = list(_ON_LINE.finditer(bare))
    behind = list(_BEHIND_IN.finditer(bare))
    return sorted([*matches, *behind], key=lambda match: match.start()) if behind else matches


ANY_COMMAND = re.compile(r"\n(?=[^\s)\]}⟩⦄|:=→↔∧∨+*/,<>])")
"""Where a line begins that does not go on with what is before it."""

MODIFIER = re.compile(rf"(?<![\w\[])(?:{'|'.join(_MODIFIERS)})\b(?=[\s\[])")
NO_NAMES = frozenset(("where", "extends", "deriving", "with", "by", "fun"))
"""Words that may stand where the name of a declaration would be."""
