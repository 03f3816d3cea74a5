"""What is read and dropped: the arguments of commands without content, and TeX's assignments."""

from __future__ import annotations

import re

from porism.corpus.latex.macros import ProjectExpander
from porism.formula.macros.definition import Macro
from porism.formula.macros.tokens import EOF_TOKEN, PAR
from porism.formula.tables.registers import ASSIGNMENTS

MAX_BOX_SIZE_TOKENS = 20
"""So many tokens of ``\\hbox to 3cm`` are looked at for the brace that follows."""

_UNIT = r"(?:true\s*)?(?:pt|mm|cm|in|ex|em|mu|bp|pc|sp|dd|cc|fil{1,3})\b"
_AMOUNT = rf"[-+\s]*(?:[\d.,]+\s*{_UNIT})"
_DIMENSION = re.compile(rf"\s*{_AMOUNT}(?:\s*(?:plus|minus)\s*{_AMOUNT})*")
_STRETCH = re.compile(rf"\s*(?:plus|minus)(?:\s*(?P<amount>{_AMOUNT})|[-+\s]*[\d.,]*\s*$)")
_FACTOR = re.compile(r"\s*[-+]?\s*\d*\.?\d*\s*$")
_NUMBER = re.compile(r"[-+\s]*(?:\d+|'[0-7]+|\"[0-9A-F]+)")
_QUOTED = re.compile(r"\s*`[^\s]?")
_FILE = re.compile(r"\s*[A-Za-z][\w.:-]*(?:\s+at\s*[\d.]+\s*(?:true)?\s*[a-z]{2})?")
_SIZE = re.compile(r"\s*scaled\s*")
_EQUALS = re.compile(r"\s*=")
_BY = re.compile(r"\s*by\b")


def skip_arguments(expander: ProjectExpander, signature: str) -> None:
    """Reads and drops the arguments of a command: ``m`` mandatory, ``o`` optional, ``*`` a star."""
    for kind in signature:
        if kind == "m":
            expander.group()
        elif kind == "o":
            expander.optional()
        else:
            expander.star()


def skip_assignment(expander: ProjectExpander, name: str) -> None:
    """Reads and drops what :data:`ASSIGNMENTS` says of the command ``name``, as far as it follows."""
    signature = ASSIGNMENTS[name]
    surely = signature[0] != "="
    for kind in signature:
        if kind == "=":
            surely = _match(expander, _EQUALS) is not None or surely
        elif kind == "b":
            skip_by(expander)
        elif kind == "d":
            _skip_dimension(expander, surely=surely)
        elif kind == "n":
            _skip_number(expander, surely=surely)
        elif kind == "a":
            if _match(expander, _DIMENSION) is None:
                _skip_number(expander, surely=True)
        elif kind == "c":
            _skip_control_sequence(expander)
        elif kind == "s":
            switch = expander.defined_name()
            if switch is not None and switch[0] == "\\":
                expander.define(switch, Macro((), ()))
        elif kind == "r":
            _skip_register(expander, surely=True)
        elif kind == "g":
            expander.group()
        elif kind == "f":
            _match(expander, _FILE)
            if _match(expander, _SIZE) is None:
                continue
            _skip_number(expander, surely=True)
        else:
            _skip_box(expander)


def skip_by(expander: ProjectExpander) -> None:
    """Reads and drops the word *by* of an assignment, which may be left out."""
    _match(expander, _BY)


def skip_value(expander: ProjectExpander, *, is_length: bool) -> None:
    """Reads and drops the value of an assignment."""
    if is_length:
        _skip_dimension(expander, surely=True)
    else:
        _skip_number(expander, surely=True)


def skip_equals(expander: ProjectExpander) -> None:
    """Reads and drops the equals sign of an assignment, which may be left out."""
    _match(expander, _EQUALS)


def _skip_dimension(expander: ProjectExpander, *, surely: bool) -> None:
    if _match(expander, _DIMENSION) is None:
        factor = _match(expander, _FACTOR)
        if not _skip_register(expander, surely=surely):
            expander.stream.push([factor.group()] if factor and factor.group() else [])
            return
    skip_stretches(expander)


def skip_stretches(expander: ProjectExpander) -> None:
    """Reads and drops how much a length may stretch and shrink."""
    while (keyword := _match(expander, _STRETCH)) is not None:
        if keyword["amount"] is None:
            _skip_register(expander, surely=True)


def _skip_number(expander: ProjectExpander, *, surely: bool) -> None:
    quoted = _match(expander, _QUOTED)
    if quoted is not None:
        if quoted.group().endswith("`"):
            _skip_control_sequence(expander)
    elif _match(expander, _NUMBER) is None:
        _skip_register(expander, surely=surely)


def _skip_register(expander: ProjectExpander, *, surely: bool) -> bool:
    """Drops a control sequence that has a value; where one must follow, ``surely``, any."""
    token = expander.skip_spaces()
    if token is None or token[0] != "\\" or not (surely or _is_register(expander, token)):
        expander.stream.push([token] if token is not None else [])
        return False
    if ASSIGNMENTS.get(token[1:], "").startswith("n"):  # \dimen0, \magstep1
        _skip_number(expander, surely=True)
    return True


def _is_register(expander: ProjectExpander, token: str) -> bool:
    """Whether a control sequence is a variable of TeX or LaTeX, or one that the project has declared."""
    macro = expander.macros.get(token)
    name = macro.body[0] if macro is not None and macro.body else token
    return "@" in token or (isinstance(name, str) and name.lstrip("\0")[1:] in ASSIGNMENTS)


def _skip_control_sequence(expander: ProjectExpander) -> None:
    token = expander.skip_spaces()
    if token is not None and token[0] != "\\":
        expander.stream.push([token])


def _skip_box(expander: ProjectExpander) -> None:
    token = expander.skip_spaces()
    if token in ("\\hbox", "\\vbox", "\\vtop"):
        skip_box_size(expander)
        expander.group()
    elif token is not None:
        expander.stream.push([token])


def _match(expander: ProjectExpander, pattern: re.Pattern[str]) -> re.Match[str] | None:
    """Reads what the pattern matches at the beginning of the next token; None where it matches nothing."""
    token = expander.skip_spaces()
    if token is None:
        return None
    match = pattern.match(token) if token[0] not in "\\{}$\0&^_#~" and token != PAR else None
    rest = token[match.end() :] if match else token
    expander.stream.push([rest] if rest else [])
    return match


def skip_box_size(expander: ProjectExpander) -> None:
    """Reads and drops the ``to 3cm`` or ``spread 1em`` of a box, up to its brace."""
    token = expander.skip_spaces()
    if token is None:
        return
    if not token.startswith(("to", "spread")):
        expander.stream.push([token])
        return
    taken = [token]
    while (token := expander.stream.next()) is not None:
        if token in ("{", "\\bgroup"):
            expander.stream.push([token])
            return
        taken.append(token)
        if token in ("}", PAR, EOF_TOKEN) or token[0] == "$" or len(taken) > MAX_BOX_SIZE_TOKENS:
            break
    expander.stream.push(taken)
