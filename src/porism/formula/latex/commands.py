"""Which function reads which LaTeX token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from porism.formula.latex.arguments import (
    OPTION_END,
    accent,
    accent_with_layout,
    arrow,
    font,
    font_switch,
    fraction,
    fraction_with_layout,
    infix,
    infix_with_fences,
    modulus,
    of,
    option_end,
    plain_root,
    prescript,
    root,
    sideset,
    stack_over,
)
from porism.formula.latex.boxes import assignment, box, overlap
from porism.formula.latex.cells import begin, braced_environment, end_environment, next_line
from porism.formula.latex.groups import (
    big,
    cell_or_stray,
    close_group,
    dollar,
    inner_end,
    last_backslash,
    left,
    open_group,
    right,
    stray,
)
from porism.formula.latex.machine import Machine
from porism.formula.latex.macros import MACRO_TRIGGERS, MacroFound
from porism.formula.latex.negation import negation
from porism.formula.latex.styles import (
    box_with_option,
    coloured,
    definition_of_colour,
    filled_text,
    phantom,
    styled,
    styled_text,
)
from porism.formula.latex.symbols import alias, division, dots, number, prime, primes, quote, script, script_token
from porism.formula.latex.text import add_wildcard, dimension, drop, measured_space, name, space, wildcard
from porism.formula.latex.text_mode import text, text_sign
from porism.formula.latex.unicode import NUMBERED, numbered_character, other_character, root_sign
from porism.formula.tables.boxes import BOXES
from porism.formula.tables.commands import (
    ACCENTS,
    ARROWS,
    BRACED_ENVIRONMENTS,
    DIMENSION_COMMANDS,
    FONT_SWITCHES,
    FONTS,
    FRACTIONS,
    INFIX,
    INFIX_WITH_FENCES,
    NAME_COMMANDS,
    TEXT_COMMANDS,
    TRANSPARENT,
)
from porism.formula.tables.layout_commands import LAYOUT_ARGUMENTS
from porism.formula.tables.registers import ASSIGNMENTS
from porism.formula.tables.spaces import SPACE_COMMANDS, written_space
from porism.formula.tables.styles import PHANTOMS, STYLED, STYLED_TEXTS
from porism.formula.tables.text_accents import TEXT_SIGNS
from porism.formula.tree import LayoutNode

Handler = Callable[[Machine, Any, int], None]


def ignore(machine: Machine, payload: Any, i: int) -> None:
    """Spacing, size, style and the like."""


def unlisted(machine: Machine, token: str, i: int) -> None:
    """A token that no table lists: a number, an environment, a line break with a length, another character."""
    first = token[:1]
    if "0" <= first <= "9" or (first == "." and len(token) > 1):
        number(machine, token, i)
    elif first == "\\" and len(token) > 1:
        if token[-1] == "}" and token.startswith("\\begin"):
            begin(machine, token, i)
        elif token[-1] == "}" and token.startswith("\\end"):
            end_environment(machine, token, i)
        elif token.startswith("\\\\"):
            next_line(machine, None, i)
        elif not token[1:].isspace():
            _unknown(machine, token, i)
    elif first == "?" and len(token) > 1:
        add_wildcard(machine, token[1:], machine.starts[i], machine.ends[i])
    elif first == "'":
        primes(machine, len(token), i)
    elif first == "_" or first == "^":
        script_token(machine, token, i)
    elif token.isspace():
        if not token.isascii():
            machine.add_space(written_space(token))
    elif token:
        other_character(machine, token, i)


def macro(machine: Machine, payload: Any, i: int) -> None:
    """A macro or a definition: unless it is left over from expansion, the parse starts anew with macros expanded.

    :raises MacroFound: always the first time.
    """
    if not machine.expanded:
        raise MacroFound
    _unknown(machine, machine.texts[i], i)


def _unknown(machine: Machine, token: str, i: int) -> None:
    machine.problem(machine.starts[i], f"unknown command {token}")
    label = token if token.isascii() and token.isprintable() else "\ufffd"
    machine.add(LayoutNode(label, "E", machine.starts[i], machine.ends[i]))


def _handlers() -> dict[str, tuple[Handler, Any]]:
    table: dict[str, tuple[Handler, Any]] = {
        "{": (open_group, None), "}": (close_group, None), "^": (script, "above"), "_": (script, "below"),
        "&": (cell_or_stray, None), "\\\\": (next_line, None), "\\cr": (next_line, None),
        "\\tabularnewline": (next_line, None), "\\newline": (next_line, None), "\\break": (next_line, None),
        "\\MTFlushSpaceBelow": (next_line, None),
        "\\left": (left, None), "\\right": (right, True), "\\middle": (right, False), "$": (dollar, None),
        "#": (stray, "#"),
        "\\": (last_backslash, None), "&lt;": (alias, "<"), "&gt;": (alias, ">"), "&amp;": (cell_or_stray, None),
        "&quot;": (alias, '"'), "&#39;": (quote, None), "\\prime": (prime, None),
        "′": (prime, None), "%": (ignore, None), " ": (ignore, None), "": (ignore, None),
        "\\sqrt": (root, None), "√": (root_sign, ""), "∛": (root_sign, "3"), "∜": (root_sign, "4"),
        "\\surd": (root_sign, ""), "\\root": (plain_root, None),
        "\\of": (of, None),
        "\\overset": (stack_over, "over"), "\\stackrel": (stack_over, "over"), "\\underset": (stack_over, "under"),
        "\\not": (negation, None), "\\centernot": (negation, None),
        **{command: (numbered_character, plain) for command, plain in NUMBERED.items()},
        "\\qvar": (wildcard, None), OPTION_END: (option_end, None),
        "\\sb": (script, "below"), "\\sp": (script, "above"), "\\mleft": (left, None), "\\mright": (right, True),
        "\\pmod": (modulus, None), "\\sideset": (sideset, None), "\\prescript": (prescript, None),
        "\\div": (division, None),
        "...": (dots, None), "<=": (alias, "≤"), ">=": (alias, "≥"), "->": (alias, "→"),
    }
    for sign in "^_":
        for letter in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789":
            table[f"{sign}{{{letter}}}"] = (script_token, f"{sign}{{{letter}}}")
    for token in ("/", "-", "(", ")", "[", "]", "@", "*", '"', "<", "+"):
        table["\\" + token] = (ignore, None)
    dropped = {key: value for key, value in LAYOUT_ARGUMENTS.items() if not set(value) - set("mo*")}
    groups: list[tuple[Handler, dict[str, Any]]] = [
        (drop, dropped), (fraction, dict(FRACTIONS)), (infix, dict(INFIX)), (accent, dict(ACCENTS)),
        (font, dict(FONTS)), (font_switch, dict(FONT_SWITCHES)), (arrow, dict(ARROWS)),
        (braced_environment, dict(BRACED_ENVIRONMENTS)),
        (text, dict(TEXT_COMMANDS)), (text_sign, dict(TEXT_SIGNS)), (box, dict(BOXES)),
        (overlap, dict.fromkeys(("rlap", "llap"))),
        (assignment, dict.fromkeys(key for key, value in ASSIGNMENTS.items() if value in ("=d", "=n", "n"))),
        (name, dict.fromkeys(NAME_COMMANDS)),
        (dimension, dict(DIMENSION_COMMANDS)), (ignore, dict.fromkeys(TRANSPARENT)),
        (big, dict.fromkeys(key for key in TRANSPARENT if key.lower().startswith("big"))),
    ]
    for function, names in groups:
        for key, value in names.items():
            table["\\" + key] = (function, value)
    for with_layout, names in ((fraction_with_layout, FRACTIONS), (accent_with_layout, ACCENTS)):
        for key in names.keys() & LAYOUT_ARGUMENTS.keys():
            table["\\" + key] = (with_layout, (LAYOUT_ARGUMENTS[key], names[key]))
    table.update({"\\" + key: (infix_with_fences, value) for key, value in INFIX_WITH_FENCES.items()})
    table.update({"\\" + key: (styled, value) for key, value in STYLED.items()})
    table.update({"\\" + key: (styled_text, (BOXES[key], kind)) for key, kind in STYLED_TEXTS.items()})
    table.update({"\\bbox": (box_with_option, None), "\\colorbox": (filled_text, False)})
    table.update({"\\fcolorbox": (filled_text, True), "\\color": (coloured, False)})
    table.update({"\\" + name: (coloured, True) for name in ("textcolor", "mathcolor")})
    table.update({"\\definecolor": (definition_of_colour, True), "\\colorlet": (definition_of_colour, False)})
    table.update({"\\" + name: (phantom, name) for name in PHANTOMS})
    table["\\)"] = (inner_end, None)
    table.update({token: (space, width) for token, width in SPACE_COMMANDS.items()})
    table.update({"\\hspace": (measured_space, None), "\\mspace": (measured_space, None)})
    for command in MACRO_TRIGGERS:
        table[command] = (macro, None)
    return table


HANDLERS: dict[str, tuple[Handler, Any]] = _handlers()
"""Token → function and the value that it is called with."""
