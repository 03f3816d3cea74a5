"""Symbols that are put together by TeX's alignments: one over the other, ``\\ialign`` and ``\\ooalign``."""

from __future__ import annotations

from porism.corpus.latex.macros import ProjectExpander
from porism.corpus.latex.skipping import skip_box_size

STACKS = {"\\ialign": True, "\\halign": True, "\\ooalign": False, "\\oalign": False}
"""Commands that set lines below or over each other → whether a template comes first."""

_LINE_ENDS = ("\\cr", "\\crcr")
_FILL = frozenset(["\\hfil", "\\hfill", "\\hss", "\\hidewidth", "\\hfilneg", "\\m@th"])


def read_stack(expander: ProjectExpander, command: str) -> list[str]:
    """The lines of an alignment as mathematics: of two, one over the other; of more, a stack."""
    skip_box_size(expander)
    lines: list[list[str]] = [[]]
    depth = 0
    for token in expander.group() or []:
        depth += (token == "{") - (token == "}")
        if depth == 0 and token in _LINE_ENDS:
            lines.append([])
        else:
            lines[-1].append(token)
    shown = [line for line in map(_mathematics, lines[1:] if STACKS[command] else lines) if line]
    if len(shown) == 2:
        over, base = shown if STACKS[command] else reversed(shown)
        return ["\\overset", "{", *over, "}", "{", *base, "}"]
    stack = [token for line in shown for token in (*line, "\\\\")][:-1]
    return ["\\substack", "{", *stack, "}"] if len(shown) > 1 else stack


def _mathematics(line: list[str]) -> list[str]:
    """A line as mathematics: a formula without its dollars, or a box of text."""
    kept: list[str] = []
    position = 0
    while position < len(line):
        token = line[position]
        position += 1
        if token == "\\noalign":
            position = line.index("}", position) + 1 if "}" in line[position:] else len(line)
        elif token not in _FILL and not (token.isspace() and not kept):
            kept.append(token)
    while kept and kept[-1].isspace():
        kept.pop()
    if not kept:
        return []
    inner = kept[1:-1]
    return inner if kept[0] == kept[-1] == "$" and "$" not in inner else ["\\mbox", "{", *kept, "}"]
