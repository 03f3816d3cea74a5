"""The alignment of two operator trees as it is documented, by plain recursion: what the kernel is compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import permutations
from typing import NamedTuple

from porism.formula import OperatorNode
from porism.formula.extractors.approach0 import path_class
from porism.retrieve.formulas.alignment import AlignmentSettings
from porism.retrieve.formulas.alignment_kernels import EXACT_GREEDY, MAX_ROOTS

Worths = Sequence[Sequence[float]]
"""What each of the first operands is worth with each of the second."""
Assign = Callable[[Worths, bool, Sequence[bool]], tuple[float, dict[int, int]]]


class Outcome(NamedTuple):
    """The sums, and pairs of preorder positions with what they are worth; ``best`` is the score of the first root."""

    matched: float
    query: float
    found: float
    found_matched: float
    pairs: list[tuple[int, int, float]]
    best: float


def assigned(worths: Worths, any_order: bool, wild: Sequence[bool] = ()) -> tuple[float, dict[int, int]]:
    """The assignment of operands that the kernel makes; ``wild`` tells which of the first are wildcards."""
    rows, columns = len(worths), len(worths[0]) if worths else 0
    if not any_order and rows == columns:
        chosen = {i: i for i in range(rows) if worths[i][i] > 0}
        return sum((worths[i][i] for i in chosen), 0.0), chosen
    if not any_order:
        return in_order(worths)
    if rows * columns > EXACT_GREEDY:
        return in_turn(worths, wild)
    if rows > columns:
        total, turned = improved([[worths[i][j] for i in range(rows)] for j in range(columns)])
        return total, {i: j for j, i in turned.items()}
    return improved(worths)


def in_turn(worths: Worths, wild: Sequence[bool]) -> tuple[float, dict[int, int]]:
    """Each of the first takes the best that is left, wildcards after the others."""
    total, chosen = 0.0, dict[int, int]()
    for i in sorted(range(len(worths)), key=lambda i: bool(wild and wild[i])):
        left = [j for j in range(len(worths[i])) if j not in chosen.values() and worths[i][j] > 0]
        if left:
            chosen[i] = max(left, key=lambda j: (worths[i][j], -j))
            total += worths[i][chosen[i]]
    return total, chosen


def greedy(worths: Worths) -> dict[int, int]:
    """The best pair first, of equals one on the diagonal."""
    free = [(i, j) for i in range(len(worths)) for j in range(len(worths[0])) if worths[i][j] > 0]
    chosen: dict[int, int] = {}
    while free:
        i, j = max(free, key=lambda pair: (worths[pair[0]][pair[1]], pair[0] == pair[1], -pair[0], -pair[1]))
        chosen[i] = j
        free = [pair for pair in free if pair[0] != i and pair[1] != j]
    return chosen


def improved(worths: Worths) -> tuple[float, dict[int, int]]:
    """The greedy choice, made better: the best exchange first, as many as there are rows at most."""
    chosen = greedy(worths)

    def worth(i: int, j: int | None) -> float:
        return worths[i][j] if j is not None else 0.0

    for _ in worths:
        left = [j for j in range(len(worths[0])) if j not in chosen.values()]
        exchanges: list[tuple[float, int, int, int | None]] = []
        for i in range(len(worths)):
            for other in chosen:
                if other != i:
                    places = [None, *left, *([chosen[i]] if i in chosen else [])]
                    instead = max(places, key=lambda j, other=other: worth(other, j))  # type: ignore[misc]
                    gain = worth(other, instead) + (
                        worths[i][chosen[other]] - worths[other][chosen[other]] - worth(i, chosen.get(i))
                    )
                    exchanges.append((gain, -i, -other, instead))
        gain, i, other, instead = max(exchanges, key=lambda exchange: exchange[:3], default=(0.0, 0, 0, None))
        if gain <= 1e-9:
            break
        chosen[-i] = chosen.pop(-other)
        if instead is not None:
            chosen[-other] = instead
    return sum((worths[i][chosen[i]] for i in sorted(chosen)), 0.0), chosen


def in_order(worths: Worths) -> tuple[float, dict[int, int]]:
    """The best assignment that keeps the order of both sides."""
    rows, columns = len(worths), len(worths[0]) if worths else 0

    @cache
    def best(i: int, j: int) -> float:
        if i == rows or j == columns:
            return 0.0
        return max(best(i + 1, j), best(i, j + 1), best(i + 1, j + 1) + worths[i][j])

    chosen: dict[int, int] = {}
    i = j = 0
    while i < rows and j < columns:
        if worths[i][j] > 0 and best(i, j) == best(i + 1, j + 1) + worths[i][j]:
            chosen[i] = j
            i, j = i + 1, j + 1
        elif best(i, j) == best(i + 1, j):
            i += 1
        else:
            j += 1
    return best(0, 0), chosen


def optimal(worths: Worths, any_order: bool, wild: Sequence[bool] = ()) -> tuple[float, dict[int, int]]:
    """The best assignment there is, by trying all."""
    rows, columns = len(worths), len(worths[0]) if worths else 0
    if not any_order:
        return assigned(worths, False)
    if rows > columns:
        total, turned = optimal([[worths[i][j] for i in range(rows)] for j in range(columns)], True)
        return total, {i: j for j, i in turned.items()}
    return max(
        ((sum((worths[i][j] for i, j in enumerate(order)), 0.0), dict(enumerate(order)))
         for order in permutations(range(columns), rows)),
        key=lambda option: option[0],
    )


class Reference:
    """One query tree beside one found tree."""

    def __init__(
        self, query: OperatorNode, found: OperatorNode, settings: AlignmentSettings, assign: Assign = assigned
    ) -> None:
        self.query, self.found = list(query.walk()), list(found.walk())
        self.settings, self.assign = settings, assign
        self.place = {id(node): n for nodes in (self.query, self.found) for n, node in enumerate(nodes)}
        self._known: dict[tuple[int, int], tuple[float, float]] = {}

    def weight(self, node: OperatorNode) -> float:
        return self.settings.operator if node.children else 1.0

    def worth(self, u: OperatorNode, v: OperatorNode) -> float:
        settings = self.settings
        if wild(u):
            return 1.0
        if bool(u.children) != bool(v.children):
            return 0.0
        if (u.kind, u.label) == (v.kind, v.label):
            return 1.0
        if u.children:
            return settings.same_family if path_class(u.kind, u.label, False) == path_class(
                v.kind, v.label, False
            ) else 0.0
        if u.kind != v.kind:
            return settings.other_leaf
        return {"V": settings.other_variable, "N": settings.other_number}.get(u.kind, settings.same_kind)

    def operands(self, u: OperatorNode, v: OperatorNode) -> tuple[float, dict[int, int]]:
        worths = [[self.scores(one, other)[1] for other in v.children] for one in u.children]
        return self.assign(worths, u.kind == v.kind == "U", [one.kind == "W" for one in u.children])

    def scores(self, u: OperatorNode, v: OperatorNode) -> tuple[float, float]:
        """The score of a pair, and the same where nodes may be skipped."""
        key = id(u), id(v)
        if key not in self._known:
            worth = self.worth(u, v)
            score = 0.0
            if wild(u):
                score = self.weight(u)
            elif worth > 0:
                score = worth * self.weight(u)
                if v.children:
                    score += self.operands(u, v)[0]
            reach = max(
                [score]
                + [self.settings.skip_found * self.scores(u, child)[1] for child in v.children]
                + [self.settings.skip_query * self.scores(child, v)[1] for child in u.children]
            )
            self._known[key] = score, reach
        return self._known[key]

    def follow(self, u: OperatorNode, v: OperatorNode) -> tuple[OperatorNode, OperatorNode]:
        """Where skipping leads to."""
        while self.scores(u, v)[1] > self.scores(u, v)[0]:
            reach = self.scores(u, v)[1]
            below = [
                (u, child) for child in v.children if self.settings.skip_found * self.scores(u, child)[1] == reach
            ] + [(child, v) for child in u.children if self.settings.skip_query * self.scores(child, v)[1] == reach]
            u, v = below[0]
        return u, v

    def run(self) -> Outcome:
        settings = self.settings
        pairs: list[tuple[OperatorNode, OperatorNode, float]] = []
        free_query, free_found = list(self.query), list(self.found)
        price, first = 1.0, 0.0
        for _ in range(MAX_ROOTS):
            best, root_u, root_v = 0.0, None, None
            for u in free_query:
                for v in free_found:
                    if self.scores(u, v)[0] > best:
                        best, root_u, root_v = self.scores(u, v)[0], u, v
            if root_u is None or root_v is None:
                break
            first = first or best
            stack = [(root_u, root_v)]
            while stack:
                u, v = self.follow(*stack.pop())
                worth = self.worth(u, v)
                if worth <= 0:
                    continue
                pairs.append((u, v, worth * price))
                if u.children:
                    chosen = self.operands(u, v)[1]
                    stack += [(u.children[i], v.children[chosen[i]]) for i in sorted(chosen)]
            free_query = [u for u in free_query if not related(u, root_u)]
            free_found = [v for v in free_found if not related(v, root_v)]
            price *= settings.next_root
            if price <= 0:
                break
        return self.unified(pairs, first)

    def unified(self, pairs: list[tuple[OperatorNode, OperatorNode, float]], best: float) -> Outcome:
        """One partner a variable: names are (variable or wildcard, partner), the heaviest first."""
        names: dict[tuple[str, str, str], float] = {}
        of_pair: list[tuple[str, str, str] | None] = []
        for u, v, worth in pairs:
            name = (u.kind, u.label, written(v)) if wild(u) or (u.kind == v.kind == "V" and not u.children) else None
            of_pair.append(name)
            if name is not None:
                names[name] = names.get(name, 0.0) + worth
        kept: list[tuple[str, str, str]] = []
        for name in sorted(names, key=lambda name: -names[name]):
            if names[name] > 0 and not any(
                name[:2] == other[:2] or ("W" not in (name[0], other[0]) and name[2] == other[2]) for other in kept
            ):
                kept.append(name)
        matched = found_matched = 0.0
        final: list[tuple[int, int, float]] = []
        for (u, v, worth), name in zip(pairs, of_pair, strict=True):
            share = worth * (self.settings.inconsistent if name is not None and name not in kept else 1.0)
            final.append((self.place[id(u)], self.place[id(v)], share))
            matched += share * self.weight(u)
            found_matched += share * sum(map(self.weight, v.walk() if wild(u) else [v]))
        return Outcome(
            matched, sum(map(self.weight, self.query)), sum(map(self.weight, self.found)), found_matched, final, best
        )


def wild(u: OperatorNode) -> bool:
    return u.kind == "W" and not u.children


def written(v: OperatorNode) -> str:
    return f"{v.kind}{v.label}({' '.join(map(written, v.children))})"


def related(one: OperatorNode, other: OperatorNode) -> bool:
    """Whether one of two nodes is the other or stands within it."""
    return any(below is other for below in one.walk()) or any(below is one for below in other.walk())
