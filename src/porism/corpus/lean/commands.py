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
_LEAD = r"(?:^[ \t]*|(?<=\sin)[ \t]+)"
"""A command begins a line, or follows the ``in`` of another."""

COMMAND = re.compile(
    rf"{_LEAD}(?:(?P<head>(?:{_ATTRIBUTES}\s*|(?:{'|'.join(_MODIFIERS)})\b(?:\[[^\]\n]*\])?\s+)*+)"
    rf"(?:(?P<kind>(?:class[ \t]+(?:abbrev|inductive)|{'|'.join(KINDS)}))(?![\w.'!?])(?:\s*\(prior?i?t?y?\s*:=[^()\n]*\))?"
    rf"(?:\s+(?P<name>{NAME}))?"
    r"|(?P<scope>namespace|section|mutual)(?![\w.'!?])|(?P<command>attribute|open)(?![\w.'!?]))"
    r"|(?P<plain>end|variable|include|omit|initialize_simps_projections|\#align)(?![\w.'!?]))",
    re.MULTILINE,
)
"""A command that counts, with its attributes and modifiers and, for a declaration, its name."""

ANY_COMMAND = re.compile(r"\n(?=[^\s)\]}⟩⦄|:=→↔∧∨+*/,<>])")
"""Where a line begins that does not go on with what is before it."""

MODIFIER = re.compile(rf"(?<![\w\[])(?:{'|'.join(_MODIFIERS)})\b(?=[\s\[])")
NO_NAMES = frozenset(("where", "extends", "deriving", "with", "by", "fun"))
"""Words that may stand where the name of a declaration would be."""
