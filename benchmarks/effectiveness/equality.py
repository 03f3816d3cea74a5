"""Are formulas found that are equal to the one asked for, among formulas that look more like it?

::

    python -m benchmarks effectiveness equality

The pairs are those of ``docs/explanation/values.md``. A collection is made of the bundled sample, a document for the
second formula of each pair, and documents with distractors: the first formula with one symbol changed, so that it is
unequal. The first formula is the query. Prints on which rank the second one is found by formula search and by the
default search, how many are among the first three, and which pairs that are not equal are reported as equal.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import porism
from benchmarks import ROOT
from porism.formula import OperatorTree, layout_key, operator_tree, parse, parse_latex
from porism.formula.values import equal
from porism.sample import ENTRIES
from porism.search.sources.indexing import index_documents

DOCS = ROOT / "docs" / "explanation" / "values.md"
DISTRACTORS = 6
"""Distractors of each pair at most."""
DEPTH = 100

CHANGES = (
    (r"\d", ("2", "3", "1")), (r"\+", ("-",)), ("-", ("+",)), (r"\\sin", (r"\cos", r"\tan")), (r"\\cos", (r"\sin",)),
    (r"\\ln", (r"\sin",)), ("=", ("<",)), ("<", (">",)), (r"\\le\b", (r"\ge",)),
    (r"(?<![\\A-Za-z])[a-z](?![A-Za-z])", ("z", "w")),
    (r"\\sum", (r"\prod",)), (r"\\prod", (r"\sum",)), (r"\\sqrt", ("",)),
)
"""What a distractor changes, as a pattern and what can stand in its place."""


class Pair(NamedTuple):
    """Two formulas and whether they are equal."""

    one: str
    other: str
    equal: bool


def pairs() -> list[Pair]:
    """The pairs of the documentation."""
    text = DOCS.read_text(encoding="utf-8")
    first, second = re.split(r"^## Near misses$", text, flags=re.MULTILINE)
    first = re.split(r"^## .*pairs that are equal$", first, flags=re.MULTILINE)[1]
    return [
        Pair(*found, same) for part, same in ((first, True), (second, False))
        for found in re.findall(r"^\| `(.*)` \| `(.*)` \|$", part, flags=re.MULTILINE)
    ]


def tree(latex: str) -> OperatorTree:
    """The operator tree of a formula."""
    return operator_tree(parse_latex(latex))


def distractors(latex: str) -> Iterator[str]:
    """Formulas that differ from one in a single symbol, and in value; spread over its length."""
    seen = {layout_key(parse_latex(latex))}
    found: list[tuple[int, str]] = []
    for pattern, others in CHANGES:
        for match in re.finditer(pattern, latex):
            found += [
                (match.start(), latex[: match.start()] + other + (" " if other.startswith("\\") else "")
                 + latex[match.end() :])
                for other in others if other != match.group()
            ]
    found.sort(key=lambda change: (change[0] * 7919 % 101, change[1]))
    for _, changed in found:
        key = layout_key(parse_latex(changed))
        if key not in seen and not equal(tree(latex), tree(changed)):
            seen.add(key)
            yield changed


def documents(chosen: Sequence[Pair]) -> Iterator[porism.Document]:
    """The documents of the pairs: the second formula of each, and distractors."""
    for number, pair in enumerate(chosen):
        yield document(f"pair-{number}", pair.other)
        for place, changed in enumerate(islice(distractors(pair.one), DISTRACTORS)):
            yield document(f"distractor-{number}-{place}", changed)


def document(doc_id: str, latex: str) -> porism.Document:
    """A document of a sentence with one formula."""
    body = porism.Content.of("A remark on", porism.Formula(latex), "from the lecture.")
    return porism.Document(doc_id, {"body": body})


def place_of(ids: Sequence[str], wanted: str) -> int:
    """The rank from 1, 0 where it is not among the first."""
    return ids.index(wanted) + 1 if wanted in ids else 0


class Ranks(NamedTuple):
    """Where the second formula of a pair is found for the first, 0 for nowhere; whether it is reported as equal."""

    formulas: int
    documents: int
    reported: bool


def ranks(index: porism.Index, number: int, pair: Pair) -> Ranks:
    """Searches for the first formula of a pair."""
    key = layout_key(parse(porism.Formula(pair.other)))
    hits = index.search_formulas(porism.Formula(pair.one), k=DEPTH)
    found = [hit.key for hit in hits]
    default = [hit.id for hit in index.search(f"${pair.one}$", k=DEPTH)]
    match = index.explain_formula(porism.Formula(pair.one), key)
    reported = any(value.query == value.found == 0 for value in match.values) or equal(tree(pair.one), tree(pair.other))
    return Ranks(place_of(found, key), place_of(default, f"pair-{number}"), reported)


def main() -> int:
    """Makes the collection, searches, prints."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--all", action="store_true", help="print every pair, not only those beyond rank 3")
    options.add_argument("--most", type=int, help="only so many pairs of either kind, to try things out")
    chosen = options.parse_args()
    every = pairs()
    same = [pair for pair in every if pair.equal][: chosen.most]
    others = [pair for pair in every if not pair.equal][: chosen.most]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        porism.index_sources([ENTRIES], path, jobs=1)
        index_documents(documents(same), path, jobs=1)
        with porism.open_index(path) as index:
            found = [ranks(index, number, pair) for number, pair in enumerate(same)]
        far = Path(folder) / "unequal"
        index_documents((document(f"pair-{number}", pair.other) for number, pair in enumerate(others)), far, jobs=1)
        with porism.open_index(far) as index:
            wrong = [pair for number, pair in enumerate(others) if ranks(index, number, pair).reported]
    print(f"{'formulas':>8} {'default':>8}")
    for pair, rank in zip(same, found, strict=True):
        if chosen.all or not (0 < rank.formulas <= 3 and 0 < rank.documents <= 3):
            print(f"{rank.formulas or '-':>8} {rank.documents or '-':>8}  {pair.one}    {pair.other}")
    for depth in (1, 3, 10):
        by_formula, by_default = (
            sum(0 < rank[column] <= depth for rank in found) for column in (0, 1)
        )
        print(f"equal, among the first {depth:>2}: {by_formula} and {by_default} of {len(same)}")
    print(f"equal, reported as equal: {sum(rank.reported for rank in found)} of {len(same)}")
    print(f"unequal, reported as equal: {len(wrong)} of {len(others)}")
    for pair in wrong:
        print(f"    {pair.one}    {pair.other}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
