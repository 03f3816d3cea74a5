"""Commands of LaTeX packages as data: the arguments that each takes, and what it means in commands that are known.

A table of a package has up to three parts:

- ``COMMANDS``: name → signature and replacement.
- ``HANDLED``: name → signature and the name of the function in :mod:`porism.formula.latex.functions` that makes the
  replacement of the arguments, where a pattern cannot.
- ``ENVIRONMENTS``: name → signature, and the replacements of its beginning and its end.

A signature is one of xparse: ``m`` in braces, ``o`` in brackets, ``s`` a star, ``d()`` between parentheses, ``g`` in
braces that may be missing, ``t\\\\ket`` a token. Two letters are added: ``z`` for a size such as ``\\\\big``, and ``f``
for what is in brackets of any kind. A ``-`` before one says that it tells only how the thing looks (its size, place or
colour) and that the replacement leaves it out. ``#1`` is the first of all, stars and options included.
"""

from __future__ import annotations

from porism.formula.tables.lookup import RELATION_CLASSES
from porism.formula.tables.packages import amsmath, braket, common, mathtools, mhchem, others, physics, proofs, siunitx

Command = tuple[str, str]

PACKAGES: dict[str, dict[str, Command]] = {
    "common": common.COMMANDS, "amsmath": amsmath.COMMANDS, "mathtools": mathtools.COMMANDS,
    "braket": braket.COMMANDS, "physics": physics.COMMANDS, "bussproofs": proofs.COMMANDS, **others.COMMANDS,
}
"""Package → its commands that a replacement explains; ``common`` are those that many formulas use undefined."""

PACKAGE_FUNCTIONS: dict[str, dict[str, Command]] = {
    "amsmath": amsmath.HANDLED, "physics": physics.HANDLED, "siunitx": siunitx.HANDLED, "mhchem": mhchem.HANDLED,
    "bussproofs": proofs.HANDLED, "braket": braket.HANDLED, **others.HANDLED,
}
"""Package → its commands that a function explains."""

COMMANDS: dict[str, Command] = {name: command for commands in PACKAGES.values() for name, command in commands.items()}
HANDLED: dict[str, Command] = {
    name: command for commands in PACKAGE_FUNCTIONS.values() for name, command in commands.items()
}
ENVIRONMENTS: dict[str, tuple[str, str, str]] = {
    **amsmath.ENVIRONMENTS, **mathtools.ENVIRONMENTS, **proofs.ENVIRONMENTS,
}

TEXT_COLUMNS: dict[str, bool] = {
    "cases*": True, "dcases*": True, "rcases*": True, "drcases*": True, "numcases": False, "subnumcases": False,
    "logicproof": True, "subproof": True,
}
"""Environments whose cells after the first are text: always, or where they have dollars or words."""

_SIGNS = frozenset({"additive", "multiplicative", "set-operator", "arrow", "symbol", "dots"})
SIGNS_AS_ARGUMENTS: dict[str, frozenset[str]] = {
    **dict.fromkeys(("ket", "bra", "Ket", "Bra"), _SIGNS),
    **dict.fromkeys(("abs", "norm", "slashed"), frozenset({"multiplicative", "symbol", "dots"})),
    "vdotswithin": RELATION_CLASSES | _SIGNS, "shortvdotswithin": RELATION_CLASSES | _SIGNS,
}
"""Command → classes of signs that are its argument without braces, as in ``\\ket\\uparrow`` or ``\\norm\\cdot``.

After another command such a sign shows that the author has a command of that name without arguments: ``C^\\op\\to D``.
"""

POWERS = physics.POWERS
"""Functions that take a power in brackets: ``\\\\sin[2](x)``."""
