"""Each symbol as one row: its commands and characters, the words it is read as, its names in other notations."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from porism.formula.tables.lookup import SYMBOLS, character, plain_blackboard
from porism.formula.tables.notations import PLAIN_NOTATIONS, SYMBOL_NAMES
from porism.formula.tables.spoken import BLACKBOARD, FUNCTIONS, WORDS
from porism.types import PlainNotation


class SymbolRow(NamedTuple):
    """One symbol; ``commands`` are LaTeX, ``names`` those of each plain notation beside these."""

    label: str
    commands: tuple[str, ...]
    characters: tuple[str, ...]
    spoken: str
    names: dict[PlainNotation, tuple[str, ...]]


@lru_cache(1)
def symbol_rows() -> dict[str, SymbolRow]:
    """Canonical label → its row, for every symbol that is known by a name."""
    spellings: dict[str, list[str]] = {}
    for token, (label, _) in SYMBOLS.items():
        spellings.setdefault(label, []).append(token)
    for names in SYMBOL_NAMES.values():
        for label in names:
            spellings.setdefault(label, [])
    return {label: _row(label, tokens) for label, tokens in spellings.items()}


def _row(label: str, tokens: list[str]) -> SymbolRow:
    found = character(label) if len(label) == 1 else None
    is_blackboard = found is not None and found[2] == "bb"
    letter = plain_blackboard(label)
    commands = [f"\\mathbb{{{letter}}}"] if is_blackboard else [token for token in tokens if token[0] == "\\"]
    if not tokens and len(label) > 1:
        commands = [f"\\operatorname{{{label}}}"]
    spoken = BLACKBOARD.get(letter, "") if is_blackboard else WORDS.get(label) or FUNCTIONS.get(label, "")
    return SymbolRow(
        label, tuple(commands), tuple(token for token in tokens if token[0] != "\\") or (label,), spoken,
        {notation: tuple(SYMBOL_NAMES[notation].get(label, ())) for notation in PLAIN_NOTATIONS},
    )
