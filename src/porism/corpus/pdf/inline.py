"""Where formulas are in a line of text."""

from __future__ import annotations

import itertools

from porism.corpus.pdf.clusters import Cluster
from porism.corpus.pdf.marks import Mark

_OPENING = {"(": ")", "[": "]", "{": "}"}
_JOINS = frozenset(("relation", "binary"))


def mark_formulas(clusters: list[Cluster], size: float) -> None:
    """Says of each cluster whether it is in a formula: seeds, and what is close to them."""
    space = _word_space(clusters, size)
    for cluster in clusters:
        cluster.in_formula = cluster.is_seed
    for _ in range(2):
        for forward in (True, False):
            order = range(1, len(clusters)) if forward else range(len(clusters) - 2, -1, -1)
            for number in order:
                cluster, other = clusters[number], clusters[number - 1 if forward else number + 1]
                if cluster.in_formula or not other.in_formula:
                    continue
                first, second = (other, cluster) if forward else (cluster, other)
                if _may_join(cluster, first, second, size, space, clusters, number):
                    cluster.in_formula = True
    # A relation has something on its right.
    for first, before, cluster in zip(clusters, clusters[1:], clusters[2:], strict=False):
        if (
            first.in_formula and before.in_formula and before.role in _JOINS and not before.has_scripts
            and cluster.role == "word"
            and cluster.x0 - before.x1 < 0.6 * size and before.x0 - first.x1 < 0.6 * size
        ):
            cluster.in_formula = len(cluster.marks) > 1 or cluster.marks[0].style != "it"
    _take_sets(clusters)
    _take_separators(clusters, size, space)


def _take_sets(clusters: list[Cluster]) -> None:
    """Takes in the text between braces, which are signs of formulas."""
    openings: list[int] = []
    for number, cluster in enumerate(clusters):
        if cluster.marks[0].latex == "\\{" and cluster.in_formula:
            openings.append(number)
        elif cluster.marks[0].latex == "\\}" and cluster.in_formula and openings:
            for inside in clusters[openings.pop() : number]:
                inside.in_formula = True
                inside.pull = max(inside.pull, 0.9 * inside.marks[0].size)


def _word_space(clusters: list[Cluster], size: float) -> float:
    """The space between words of this line."""
    gaps = sorted(
        second.x0 - first.x1 for first, second in itertools.pairwise(clusters)
        if first.role == second.role == "word" and 0.18 * size < second.x0 - first.x1 < size
    )
    return gaps[len(gaps) // 4] if gaps else 0.32 * size


def _may_join(
    cluster: Cluster, first: Cluster, second: Cluster, size: float, space: float, clusters: list[Cluster], number: int
) -> bool:
    gap = second.x0 - first.x1
    role = cluster.role
    if role in ("comma", "point"):
        return False
    if role == "word":
        if cluster.is_styled:
            return gap < 0.2 * size
        other = second if cluster is first else first
        if (other.role in ("comma", "point", "close") and cluster is second) or other.role == "bar":
            return False
        if cluster is first and other.role not in ("open", "symbol", "digit"):
            return False
        if cluster is second and first.role not in ("open", "binary", "relation"):
            return False
        is_near = gap < min(0.2 * size, space - 0.05 * size)
        return is_near and len(cluster.marks) < 10 and _is_alone(clusters, number, space)
    return gap < allowance(first, second, size, space)


def _is_alone(clusters: list[Cluster], number: int, space: float) -> bool:
    """Whether a word has no other word or hyphen before it without space."""
    before = clusters[number - 1] if number else None
    return before is None or before.in_formula or clusters[number].x0 - before.x1 > 0.6 * space or before.role == "open"


def allowance(first: Cluster, second: Cluster, size: float, space: float) -> float:
    """How much space may be between two parts of one formula."""
    roles = {first.role, second.role}
    if second.pull:
        return second.pull
    if "relation" in roles:
        return 1.1 * size if "⇒" in (first.text, second.text) or "⇔" in (first.text, second.text) else 0.85 * size
    if roles & {"binary"}:
        return 0.65 * size
    if "bar" in roles:
        return 0.55 * size if first.is_seed and second.is_seed else 0.4 * size
    if first.role == "comma":
        return 0.62 * size
    if first.role == "big":
        return 0.5 * size
    if "name" in roles:
        return max(0.28 * size, min(space - 0.02 * size, 0.34 * size))
    if first.has_scripts and (second.is_seed or second.role == "open"):
        return min(space - 0.03 * size, 0.3 * size)
    if first.role == "digit" and second.role == "digit":
        return 0.1 * size
    if second.role == "big":
        return min(space - 0.02 * size, 0.3 * size)
    return min(space - 0.03 * size, 0.24 * size)


def _take_separators(clusters: list[Cluster], size: float, space: float) -> None:
    """Takes in commas and colons between parts of one formula."""
    for number in range(2, len(clusters) - 2):  # a_1, …, a_n
        before, comma, dots, other, after = clusters[number - 2 : number + 3]
        if dots.text == "…" and comma.text == other.text == "," and before.in_formula and after.in_formula:
            dots.in_formula = True
    for number in range(1, len(clusters) - 1):
        cluster, before, after = clusters[number], clusters[number - 1], clusters[number + 1]
        if cluster.in_formula or cluster.role not in ("comma", "point") or not (before.in_formula and after.in_formula):
            continue
        if cluster.x0 - before.x1 > 0.35 * size or after.x0 - cluster.x1 > 0.75 * size:
            continue
        is_thin = after.x0 - cluster.x1 < min(0.21 * size, 0.85 * space)
        if (
            cluster.text in (":", "!")
            or (cluster.text == "," and (is_thin or "…" in (before.text, after.text)))
            or (cluster.text == "." and before.role == after.role == "digit")
        ):
            cluster.in_formula = True
        else:
            cluster.in_formula = _is_open(clusters, number)


def _is_open(clusters: list[Cluster], number: int) -> bool:
    """Whether a bracket of the same formula is open before a cluster."""
    depth = 0
    while number and clusters[number - 1].in_formula:
        number -= 1
        if clusters[number].role == "close":
            depth -= 1
        elif clusters[number].role == "open":
            depth += 1
            if depth > 0:
                return True
    return False


def runs_of(clusters: list[Cluster], size: float) -> list[tuple[int, int]]:
    """The first cluster of each formula, and the one after its last."""
    space = _word_space(clusters, size)
    runs: list[tuple[int, int]] = []
    start: int | None = None
    for number, cluster in enumerate(clusters):
        if not cluster.in_formula:
            if start is not None:
                runs.append((start, number))
            start = None
        elif start is None:
            start = number
        elif cluster.x0 - clusters[number - 1].x1 > allowance(clusters[number - 1], cluster, size, space):
            runs.append((start, number))
            start = number
    if start is not None:
        runs.append((start, len(clusters)))
    trimmed = (_trimmed(clusters, *run) for run in runs)
    return [(first, last) for first, last in trimmed if first < last and any(c.is_seed for c in clusters[first:last])]


def _trimmed(clusters: list[Cluster], first: int, last: int) -> tuple[int, int]:
    """A run without punctuation at its ends and without brackets of the text around it."""
    while True:
        while last > first and clusters[last - 1].role in ("comma", "point") and clusters[last - 1].text != "!":
            last -= 1
        while last > first and clusters[first].role in ("comma", "point"):
            first += 1
        unopened, unclosed = _unbalanced(clusters, first, last)
        end = clusters[last - 1] if last > first else None
        if end is not None and unopened and unopened[-1] == last - 1 and not end.has_scripts and _is_plain(end):
            last -= 1
        elif unclosed and unclosed[0] == first and _is_plain(clusters[first]):
            first += 1
        elif unclosed and unclosed[-1] == last - 1 and _is_plain(clusters[last - 1]):
            last -= 1
        elif _in_text_brackets(clusters, first, last):
            first, last = first + 1, last - 1
        else:
            return first, last


def _is_plain(cluster: Cluster) -> bool:
    return cluster.marks[0].kind == "char" and cluster.text in "()[]"


def _unbalanced(clusters: list[Cluster], first: int, last: int) -> tuple[list[int], list[int]]:
    unopened: list[int] = []
    stack: list[int] = []
    for number in range(first, last):
        role = clusters[number].role
        if role == "open":
            stack.append(number)
        elif role == "close":
            if stack:
                stack.pop()
            else:
                unopened.append(number)
    return unopened, stack


def _in_text_brackets(clusters: list[Cluster], first: int, last: int) -> bool:
    """Whether brackets around a whole run are those of the text: what they enclose is a statement."""
    if last - first < 4 or clusters[first].text != "(" or clusters[last - 1].text != ")":
        return False
    depth = 0
    has_relation = False
    for number in range(first, last):
        role = clusters[number].role
        depth += (role == "open") - (role == "close")
        if depth == 0 and number < last - 1:
            return False
        if role == "comma":
            return False
        has_relation = has_relation or (depth == 1 and role == "relation")
    return has_relation


def marks_of(clusters: list[Cluster]) -> list[Mark]:
    """The marks of clusters."""
    return [mark for cluster in clusters for mark in cluster.marks]
