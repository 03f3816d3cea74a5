"""The commands of a Lean file that declare something, or change what declarations mean."""

from __future__ import annotations

import re

from porism.corpus.formal.binders import NAME

KINDS = (
    "theorem", "lemma", "def", "abbrev", "instance", "structure", "class", "inductive", "coinductive", "axiom",
    "opaque", "irreducible_def", "alias",
)
"""The keywords of declarations."""

BLOCKS = frozenset(("structure", "class", "class inductive", "inductive", "coinductive", "axiom", "opaque"))
"""Kinds that have no value: what follows to the next command is all their statement."""

_MODIFIERS = "private protected public noncomputable computable nonrec unsafe partial local scoped meta".split()
_SCOPES = ("namespace", "section", "mutual")
_WITH_MODIFIERS = ("attribute", "open")
_PLAIN = ("end", "variable", "include", "omit", "initialize_simps_projections", r"\#align")
_ENDS = r"(?![\w.'!?])"
_KEYWORD = rf"(?:{'|'.join((*KINDS, *_SCOPES, *_WITH_MODIFIERS, *_PLAIN, *_MODIFIERS))}){_ENDS}"
_INSIDE = rf"(?:[^\[\]\n]|\n(?!{_KEYWORD}))"
_ATTRIBUTES = rf"@\[(?:{_INSIDE}|\[(?:{_INSIDE}|\[{_INSIDE}*+\])*+\])*+\]"
_COMMAND = (
    rf"(?:(?P<head>(?:{_ATTRIBUTES}\s*|(?:{'|'.join(_MODIFIERS)})\b(?:\[[^\]\n]*\])?\s+)*+)"
    rf"(?:(?P<kind>(?:class[ \t]+(?:abbrev|inductive)|{'|'.join(KINDS)})){_ENDS}"
    rf"(?:\s*\(prior?i?t?y?\s*:=[^()\n]*\))?(?:\s+(?!{_KEYWORD})(?P<name>{NAME}))?"
    rf"|(?P<scope>{'|'.join(_SCOPES)}){_ENDS}|(?P<command>{'|'.join(_WITH_MODIFIERS)}){_ENDS})"
    rf"|(?P<plain>{'|'.join(_PLAIN)}){_ENDS})"
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
    return sorted([*matches, *behind], key=begin) if behind else matches


def begin(match: re.Match[str]) -> int:
    """The place where a command begins; what is before it belongs to another."""
    return match.start("head") if match["plain"] is None else match.start("plain")


ANY_COMMAND = re.compile(r"\n(?=[^\s)\]}⟩⦄|:=→↔∧∨+*/,<>])")
"""Where a line begins that does not go on with what is before it."""

MODIFIER = re.compile(rf"(?<![\w\[])(?:{'|'.join(_MODIFIERS)})\b(?=[\s\[])")
NO_NAMES = frozenset(("where", "extends", "deriving", "with", "by", "fun"))
"""Words that may stand where the name of a declaration would be."""
