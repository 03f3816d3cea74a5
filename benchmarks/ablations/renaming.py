"""What the names of variables are worth in formula search: ARQMath Task 2 with all variables of the queries renamed.

::

    python -m benchmarks ablations renaming --data ../shared/data --work DIR

Every variable of a query gets another name, the same one everywhere and each its own, among the letters that authors
use alike; the operator tree is checked to be the same but for the names. A query that no draw renames so stays as it
is, and is counted. Prints nDCG' of both years as the queries are, the mean over ``--seeds`` renamings, and the
difference ± its standard error over topics (paired).
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from random import Random

import numpy as np

from benchmarks import WORK
from benchmarks.ablations.formulas import Laboratory
from benchmarks.common.bench import print_table
from benchmarks.common.formula_index import formula_model
from benchmarks.common.formula_task import FIELD
from benchmarks.common.task import Entry
from porism.formula import OperatorTree, operator_tree, parse_latex
from porism.formula.variants.renaming import POOLS, is_variable, renameable

MEASURE = "nDCG'"
DRAWS = 50
"""So many renamings of a query are tried."""
_TOKEN = re.compile(
    r"\\(?:text\w*|mathrm|mathop|operatorname\*?|mbox|begin|end|label|tag)\s*\{[^{}]*\}|\\[A-Za-z]+|\\.|[A-Za-z]",
    re.DOTALL,
)


def renamed(latex: str, random: Random) -> str | None:
    """A formula whose variables all have other names; None where no draw gives one with the same operator tree."""
    tree = operator_tree(parse_latex(latex))
    known = renameable(tree.root)
    used = {node.label for node in tree.root.walk()}
    for _ in range(DRAWS if known else 0):
        names: dict[str, str] = {}
        for label in known:
            pool = next((pool for pool in POOLS if label in pool), POOLS[0])
            free = [letter for letter in pool if letter not in used and letter not in names.values()]
            names[label] = random.choice(free) if free else label
        changed = _TOKEN.sub(lambda match, names=names: _name(match[0], names), latex)  # type: ignore[misc]
        if changed != latex and _labels(operator_tree(parse_latex(changed)), {}) == _labels(tree, names):
            return changed
    return None


def _name(token: str, names: dict[str, str]) -> str:
    """The token of LaTeX for the new name of a variable."""
    if len(token) == 1:
        return names.get(token, token)
    label = operator_tree(parse_latex(token)).root.label if token[1:].isalpha() else ""
    return f"{names[label]} " if label in names else token


def _labels(tree: OperatorTree, names: dict[str, str]) -> list[tuple[str, str, int]]:
    return [
        (node.kind, names.get(node.label, node.label) if is_variable(node) else node.label, len(node.children))
        for node in tree.root.walk()
    ]


def main() -> None:
    """Searches with the queries as they are and renamed, and prints the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks ablations renaming", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=WORK / "renaming", help="folder that keeps the index")
    parser.add_argument("--model", default="", help="another model of formula search")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=None)
    given = parser.parse_args()
    model = formula_model(given.model)
    laboratory = Laboratory(given.data, given.work, [model], given.jobs)
    topics = laboratory.topics
    whole = laboratory.evaluate(model, given.depth)
    drawn = []
    kept = dict.fromkeys(topics, 0)
    for seed in range(given.seeds):
        random = Random(seed)
        laboratory.topics = {}
        for year, entries in topics.items():
            queries = [(entry.id, entry.fields[FIELD][0][1]) for entry in entries]
            changed = [(topic, latex, renamed(latex, random)) for topic, latex in queries]
            kept[year] += sum(new is None for _, _, new in changed)
            laboratory.topics[year] = [
                Entry(topic, {FIELD: [("math", latex if new is None else new)]}) for topic, latex, new in changed
            ]
        drawn.append(laboratory.evaluate(model, given.depth))
    rows = [["year", "topics", "not renamed", "as they are", "renamed", "difference"]]
    for year in topics:
        base = whole[year].per_topic[MEASURE]
        values = np.array([[found[year].per_topic[MEASURE].get(topic, 0.0) for topic in base] for found in drawn])
        changes = values.mean(axis=0) - np.array(list(base.values()))
        rows.append([
            year, str(len(base)), f"{kept[year] / given.seeds:.1f}", f"{np.mean(list(base.values())):.4f}",
            f"{values.mean():.4f}", f"{changes.mean():+.4f} ± {changes.std() / max(1, len(base) - 1) ** 0.5:.4f}",
        ])  # fmt: skip
    print_table(rows)


if __name__ == "__main__":
    main()
