"""Goals of a proof assistant as queries: which declarations could prove ``h : a ≤ b ⊢ a + c ≤ b + c``?

A declaration that closes a goal concludes in the goal's symbols and constants, and libraries name it by them. So the
query has the conclusion with what its symbols are called in names; hypotheses count for less.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from porism.corpus.base import clean
from porism.corpus.formal.binders import NAME, NAME_PART, bound_names
from porism.corpus.formal.conventions import SYMBOL_NAMES
from porism.errors import QueryError
from porism.types import Content, Query

MAX_GOAL = 20_000
"""Longer goals are refused."""
CONCLUSION_WEIGHT = 2
"""So often does the query have the conclusion, for once the hypotheses."""

_TURNSTILE = re.compile(r"⊢|\|-")
_LOCAL = rf"{NAME}[✝¹²³⁴⁵⁶⁷⁸⁹⁰]*+"
_HYPOTHESIS = re.compile(rf"\s*(?P<names>(?:{_LOCAL}\s+)*{_LOCAL})\s*:(?!=)(?P<type>.*)", re.DOTALL)
_CASE = re.compile(r"\s*case\s+\S+")
_NAME = re.compile(NAME)
_VARIABLE = re.compile(rf"(?<![.\w])({NAME_PART})")
_TOKEN = re.compile(r"⁻¹|(?<!\w)\d(?!\w)|[^\w\s()\[\]{},.:]")


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal: the types of its hypotheses, what is to be shown, and the names of its variables."""

    hypotheses: tuple[str, ...]
    conclusion: str
    variables: frozenset[str] = frozenset()


def read_goal(text: str) -> Goal:
    """A goal as Lean prints it: a hypothesis a line, then the conclusion behind ``⊢``; or the conclusion alone.

    Of several goals the first is read.

    :raises QueryError: there is no conclusion, or the text is longer than :data:`MAX_GOAL`.
    """
    if len(text) > MAX_GOAL:
        raise QueryError(f"the goal has {len(text):,} characters", hint=f"Ask with at most {MAX_GOAL:,}.")
    before, sign, after = _split(clean(text))
    conclusion = " ".join((after if sign else before).split())
    if not conclusion:
        raise QueryError("the goal has no conclusion", hint="Write it behind ⊢, as in: h : a ∣ b ⊢ a ∣ b * c")
    types: list[str] = []
    names: set[str] = set()
    for line in _hypotheses(before) if sign else ():
        match = _HYPOTHESIS.match(line)
        if match is not None:
            names.update(_NAME.findall(match["names"]))
            types.append(" ".join(match["type"].split()))
    return Goal(tuple(types), conclusion, frozenset(names))


def goal_query(goal: Goal) -> Query:
    """The query that finds declarations which could prove a goal."""
    variables = goal.variables | bound_names(goal.conclusion)
    conclusion = _constants(goal.conclusion, variables)
    names = [SYMBOL_NAMES[symbol] for symbol in _TOKEN.findall(goal.conclusion) if symbol in SYMBOL_NAMES]
    hypotheses = [_constants(hypothesis, variables) for hypothesis in goal.hypotheses]
    text = " ".join((*[conclusion] * CONCLUSION_WEIGHT, *names, *hypotheses)).strip()
    return Query("goal", {"query": Content(text or goal.conclusion)})


def _split(text: str) -> tuple[str, str, str]:
    """What is before the first turnstile, that, and its conclusion, which ends with a blank line."""
    match = _TURNSTILE.search(text)
    if match is None:
        return text, "", ""
    return text[: match.start()], match.group(), re.split(r"\n\s*\n", text[match.end() :].lstrip(), maxsplit=1)[0]


def _hypotheses(text: str) -> list[str]:
    """The hypotheses of a goal, each on a line, with those that go on with it."""
    lines: list[str] = []
    for line in text.split("\n"):
        if _CASE.match(line):
            continue
        if _HYPOTHESIS.match(line) or not lines:
            lines.append(line)
        else:
            lines[-1] += f" {line}"
    return lines


def _constants(term: str, variables: frozenset[str] | set[str]) -> str:
    """A term without its variables; of ``h.trans`` what is behind the variable stays."""
    return " ".join(_VARIABLE.sub(lambda match: "" if match.group(1) in variables else match.group(), term).split())
