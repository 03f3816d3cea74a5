"""The tokens of Lean's terms."""

from __future__ import annotations

import re

from porism.formula.tables.lean import BINDERS, INFIX, POSTFIX, PREFIX

_LETTER = r"[A-Za-zͰ-Ͽ℀-⅏\U0001d400-\U0001d7ff_]"
_PART = rf"(?:{_LETTER}[\w'!₀-₉ₐ-ₜᵢ-ᵪ]*|«[^»\n]*»)"
_SUFFIX = r"[*+⋆ʰ-ˤₐ-ₜ₀-₉ᵃ-ᶻᴬ-ᶿᵢ-ᵪ]"
_SIGNS = (*BINDERS, *POSTFIX, *PREFIX, *INFIX)
_LONG = sorted((sign for sign in _SIGNS if len(sign) > 1 and not sign.isalpha()), key=len, reverse=True)
TOKEN = re.compile(
    rf"\s*(?:(?P<wildcard>\?[A-Za-zͰ-Ͽ]\w*|_(?![\w.]))|(?P<number>[0-9]+(?:\.[0-9]+)?)"
    rf"|(?P<name>(?:Type|Sort)\*|{_PART}(?:\.(?:{_PART}|[0-9]+))*)|(?P<method>\.(?:{_PART}|[0-9]+)(?:\.(?:{_PART}|[0-9]+))*)"
    rf"|(?P<universe>\.\{{[^{{}}]*\}})|(?P<string>\"(?:[^\"\\]|\\.)*\")|(?P<power>⁻?[⁰¹²³⁴-⁹]+(?!'))"
    rf"|(?P<sign>:=|=>|//|[→≃↪=≤<≥∼≈⊗∘≅×](?:{_SUFFIX}+|[orOΘ](?=[\s\[]))(?:\[[^\[\]]*\])?|[→≃↪⊗]\[[^\[\]]*\]"
    rf"|{'|'.join(map(re.escape, _LONG))}|⟫(?:_\w+)?|\S))"
)
"""Its groups: ``wildcard``, ``number``, ``name``, ``method``, ``universe``, ``string``, ``power`` and ``sign``."""


def end_of_brackets(source: str, place: int) -> int:
    """The place of the bracket that closes what is open at a place; the end of the source where none does."""
    depth = 0
    while place < len(source):
        character = source[place]
        if character in "([{⟨":
            depth += 1
        elif character in ")]}⟩":
            depth -= 1
            if depth < 0:
                break
        place += 1
    return place
