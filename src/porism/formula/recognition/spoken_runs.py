"""Which runs of a text are formulas as one says them: ``e to the minus x squared over two``."""

from __future__ import annotations

from collections.abc import Iterator

from porism.formula.plain.phrases import Phrase, phrases
from porism.formula.tables.lookup import RELATION_CLASSES, token_class

_MIN_OPERANDS = 2
_MIN_JOINTS = 2.0
"""A formula has so many operands, and so many words that join them, which prose has not in a row."""
_JOINTS = frozenset({"over", "choose", "script", "suffix", "structure", "nth root", "derivative", "fraction"})
_JOINING_CLASSES = RELATION_CLASSES | {"additive", "multiplicative", "division", "set-operator"}
_APPLIED_CLASSES = frozenset({"trigonometric", "logarithm", "function", "limit", "big-operator", "integral"})
_NAMING_CLASSES = frozenset({"function", "limit", "big-operator"})
"""Functions whose names may stand before a formula: ``variance sigma squared``."""
_OF_PROSE = dict.fromkeys("∧ ∨ ¬ ∈ → ← ∀ ∃ :".split(), 0.5)
"""Labels whose words are frequent outside of formulas too → what they count."""
_BETWEEN = frozenset({"over", "choose", "of", "from", "to", "base", "all", "respect", "given", "script", "suffix"})
"""What must have an operand before it."""
_AFTER_NAMES = frozenset({"of", "from", "over", "script", "suffix"})
_OPERANDS = frozenset({"operand", "suffix", "accent"})
_ARTICLES = frozenset("aA")
_PREFIXES = frozenset("+-¬∀∃∄")
"""Labels that may begin a formula though they join."""


def spoken_runs(text: str) -> Iterator[tuple[int, int]]:
    """The places of the spoken formulas of a text, in order."""
    run: list[Phrase] = []
    for phrase in (*phrases(text), Phrase("text", "", len(text), len(text))):
        if phrase.kind in ("text", "end", "sign") or not text[phrase.start].isalnum():
            if run and phrase.kind == "text" and text[run[-1].start:run[-1].end] in _ARTICLES:
                del run[-1]
            run = _trimmed(run)
            if _is_formula(run):
                yield run[0].start, run[-1].end
            run = []
        else:
            run.append(phrase)


def _trimmed(run: list[Phrase]) -> list[Phrase]:
    """A run without what needs an operand at an end, and without a name before a formula."""
    first, last = 0, len(run)
    while first < last and (
        run[first].kind in _BETWEEN or (_class(run[first]) in _JOINING_CLASSES and run[first].value not in _PREFIXES)
        or (_class(run[first]) in _NAMING_CLASSES and first + 1 < last and run[first + 1].kind not in _AFTER_NAMES)
    ):
        first += 1
    while last > first and run[last - 1].kind not in _OPERANDS and _class(run[last - 1]) != "constant":
        last -= 1
    return run[first:last]


def _class(phrase: Phrase) -> str:
    return token_class(phrase.value) if phrase.kind == "symbol" else ""


def _is_formula(run: list[Phrase]) -> bool:
    joints = [
        _OF_PROSE.get(phrase.value, 1.0) for phrase in run
        if phrase.kind in _JOINTS or _class(phrase) in _JOINING_CLASSES | _APPLIED_CLASSES
    ]
    operands = [phrase.value for phrase in run if phrase.kind == "operand"]
    if len(operands) < _MIN_OPERANDS or _ARTICLES.issuperset(operands):
        return False
    return 1.0 in joints and sum(joints) >= _MIN_JOINTS
