"""How often two spellings of one formula give one operator tree, and what differs where they do not."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from porism.formula import LayoutTree, operator_string, operator_tree

_LABELS = re.compile(r"[UOVNCTWE]!(?:\\.|[^\[\],\\])*|[UOVNCTWE]!.")


def tree_of(tree: LayoutTree) -> str:
    """The operator tree of a layout tree, written out."""
    return operator_string(operator_tree(tree))


@dataclass
class Comparison:
    """Counts of one source; ``differences`` has both spellings and both trees of those that differ."""

    source: str
    compared: int = 0
    equal: int = 0
    left_out: int = 0
    differences: list[tuple[str, str, str, str]] = field(default_factory=list)

    def add(self, one: str, other: str, one_tree: str, other_tree: str) -> None:
        """Counts one pair of spellings with their trees."""
        self.compared += 1
        if one_tree == other_tree:
            self.equal += 1
        else:
            self.differences.append((one, other, one_tree, other_tree))

    @property
    def share(self) -> float:
        """The share of pairs with one tree; 1 where nothing was compared."""
        return self.equal / self.compared if self.compared else 1.0

    def kinds(self) -> Counter[str]:
        """The labels that only one of two trees has, as ``first: … | second: …``, with how many pairs differ so."""
        found: Counter[str] = Counter()
        for _, _, one, other in self.differences:
            first, second = Counter(_LABELS.findall(one)), Counter(_LABELS.findall(other))
            only_first, only_second = sorted(first - second), sorted(second - first)
            if only_first or only_second:
                found[f"{' '.join(only_first[:4]) or '-'} | {' '.join(only_second[:4]) or '-'}"] += 1
            else:
                found["the same nodes, put together otherwise"] += 1
        return found


def print_comparison(comparison: Comparison, show: int) -> None:
    """One line of figures; with ``show``, also the commonest kinds and so many of the pairs that differ."""
    print(
        f"{comparison.source:22}{comparison.compared:9,}{comparison.equal:9,}{comparison.share:9.4f}"
        f"{comparison.left_out:10,}",
        flush=True,
    )
    if show:
        for kind, count in comparison.kinds().most_common(show):
            print(f"    {count:6,} x {kind}")
        for one, other, one_tree, other_tree in comparison.differences[:show]:
            print(f"    {one!r}\n      {other[:400]!r}\n      {one_tree}\n      {other_tree}")


HEADER = f"{'':22}{'compared':>9}{'one tree':>9}{'share':>9}{'left out':>10}"
