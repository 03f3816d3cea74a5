"""Names of Lean: how they are written, and which name an instance without one gets."""

from __future__ import annotations

import re
from collections.abc import Callable

from porism.corpus.formal.binders import NAME, NAME_PART

IsVariable = Callable[[str], bool]
"""Whether a name is that of a variable."""

MAX_TYPE = 500
"""So many characters of a type count in the name of an instance."""

_ROOT = "_root_."

_SYMBOLS = {
    "ℕ": "Nat", "ℤ": "Int", "ℚ": "Rat", "ℝ": "Real", "ℂ": "Complex", "×": "Prod", "⊕": "Sum", "≃": "Equiv",
    "→": "Forall", "≤": "LE", "<": "LT", "=": "Eq", "≠": "Ne", "∣": "Dvd", "∈": "Membership", "∧": "And", "∨": "Or",
    "↔": "Iff", "¬": "Not", "∃": "Exists", "∘": "Comp", "⊗": "TensorProduct", "+": "HAdd", "*": "HMul", "^": "HPow",
    "/": "HDiv", "⥤": "Functor", "⟶": "Quiver",
}  # fmt: skip
"""Notation → the last part of the name of the constant that it stands for."""
_INFIX = "→ ↔ ∨ ∧ = ≠ ≤ < ∈ ∣ ⟶ ⥤ ≃ ⊕ × + * / ⊗ ∘ ^".split()
"""Infix symbols, those that bind least first."""
_OPENERS, _CLOSERS = "([{⟨⦃", ")]}⟩⦄"
_WORDS = frozenset("fun by let have show if then else in with match do where at from".split())
_TERM = re.compile(rf"(?P<name>{NAME})|(?P<open>[(\[{{⟨⦃])|(?P<close>[)\]}}⟩⦄])|[^\s\w]")


def full_name(namespace: str, name: str) -> str:
    """The name of a declaration in a namespace; ``_root_.`` leads out of all."""
    if name.startswith(_ROOT):
        return name.removeprefix(_ROOT)
    return f"{namespace}.{name}" if namespace else name


def last_part(name: str) -> str:
    """A name without its namespaces."""
    return _split(name)[1]


def namespace_part(name: str) -> str:
    """The namespaces of a name."""
    return _split(name)[0]


def _split(name: str) -> tuple[str, str]:
    if "«" not in name:
        space, _, last = name.rpartition(".")
        return space, last
    parts = re.findall(rf"{NAME_PART}|\d+", name)
    return ".".join(parts[:-1]), parts[-1] if parts else name


def instance_name(type_text: str, hypotheses: list[str], is_variable: IsVariable, namespace: str) -> str:
    """About the name that Lean gives to an instance without one, ``instMonoidOfGroup``.

    Lean makes it of the constants in the type, each once, and after ``Of`` of those in the types of its own binders;
    constants behind notation that a project declares are not known here.

    :param is_variable: whether a name is that of a variable.
    :param namespace: whose parts are not repeated.
    """
    seen = set(namespace.split("."))
    head = _term_name(type_text[:MAX_TYPE], is_variable, seen)
    parts = [f"Of{part}" for hypothesis in hypotheses if (part := _term_name(hypothesis[:MAX_TYPE], is_variable, seen))]
    return "inst" + head + "".join(parts)


def _term_name(text: str, is_variable: IsVariable, seen: set[str]) -> str:
    """The constants of a term in the order in which Lean applies them."""
    names: list[str] = []
    waiting = [text]  # no recursion: terms may be nested without end
    while waiting:
        piece = waiting.pop()
        split = _at_loosest_infix(piece)
        if split is not None:
            symbol, left, right = split
            names.append(_taken(_SYMBOLS[symbol], seen))
            waiting += [right, left]
            continue
        for match in _TERM.finditer(piece):
            if match.group() in _SYMBOLS:
                names.append(_taken(_SYMBOLS[match.group()], seen))
            elif match["name"]:
                names.append(_taken(_constant(match["name"], is_variable), seen))
            elif match["open"]:
                end = _closing(piece, match.start())
                waiting += [piece[end:], piece[match.end() : max(match.end(), end - 1)]]
                break
    return "".join(names)


def _constant(name: str, is_variable: IsVariable) -> str:
    first, _, rest = name.partition(".")
    last = last_part(name)
    if is_variable(first) or len(first) == 1 or name in _WORDS:
        return last if rest else ""
    return last


def _taken(name: str, seen: set[str]) -> str:
    if not name or name in seen:
        return ""
    seen.add(name)
    return name[0].upper() + name[1:]


def _closing(text: str, start: int) -> int:
    """The place behind the bracket that closes the one at ``start``."""
    depth = 0
    for place in range(start, len(text)):
        if text[place] in _OPENERS:
            depth += 1
        elif text[place] in _CLOSERS:
            depth -= 1
            if depth <= 0:
                return place + 1
    return len(text)


def _at_loosest_infix(text: str) -> tuple[str, str, str] | None:
    """The infix symbol of a term that binds least, and the terms around it."""
    depth = 0
    best: tuple[int, int] | None = None
    for place, character in enumerate(text):
        if character in _OPENERS:
            depth += 1
        elif character in _CLOSERS:
            depth -= 1
        elif depth == 0 and character in _INFIX and place:
            rank = _INFIX.index(character)
            if best is None or rank < best[0]:
                best = (rank, place)
    if best is None or not text[: best[1]].strip():
        return None
    return text[best[1]], text[: best[1]], text[best[1] + 1 :]
