"""Small indexes of real formulas, and trees to align without an index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import cast

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.formula import EXTRACTORS, OperatorNode, OperatorTree, operator_tree, pack_tree, parse
from porism.index import IndexWriter, Segment, Snapshot
from porism.retrieve.formulas.alignment import Aligner, AlignmentSettings
from porism.retrieve.formulas.matching import StructureRanker
from porism.retrieve.formulas.model import DEFAULT_FORMULA_MODEL, FormulaModel
from porism.retrieve.ranking import UnitResults
from porism.types import Content, Document, Formula

Group = Mapping[str, Sequence[str]]
"""Documents of one commit: id → its formulas, as LaTeX."""

SETTINGS = AlignmentSettings(
    operator=0.25, other_variable=0.85, other_number=0.2, same_kind=0.15, other_leaf=0.1, same_family=0.5,
    skip_found=0.5, skip_query=0.0, next_root=0.3, inconsistent=0.3, width=0.1, power=0.5,
)
"""What sums in tests are computed with by hand: they stay when the defaults are tuned."""


def tree_of(latex: str) -> OperatorTree:
    return operator_tree(parse(Formula(latex)))


def leaf(label: str) -> OperatorNode:
    """A leaf; the label has its kind letter in front."""
    return OperatorNode(label[1:], label[0])


def node(label: str, children: Iterable[OperatorNode]) -> OperatorNode:
    made = leaf(label)
    made.children.extend(children)
    return made


class Forest:
    """Just so much of a segment as an aligner needs: operator trees, without an index."""

    def __init__(self, trees: Iterable[OperatorTree]) -> None:
        self._packed = [pack_tree(tree) for tree in trees]
        self.formula_count = len(self._packed)

    def records(self, name: str) -> list[bytes]:
        assert name == "trees"
        return self._packed

    def open_derived(self, name: str) -> None:
        return None


def aligner_of(trees: Iterable[OperatorTree], settings: AlignmentSettings = SETTINGS) -> Aligner:
    """An aligner of which the first and only segment has these trees."""
    return Aligner([cast(Segment, Forest(trees))], settings)


def write(
    path: Path, *groups: Group, deleted: Sequence[str] = (), merge: bool = False,
    formulas: Sequence[str] = tuple(EXTRACTORS),
) -> Snapshot:
    """An index with one segment for each group."""
    analyzer = Analyzer(AnalysisConfig(text=(), formulas=tuple(formulas)))
    with IndexWriter(path, config=analyzer.config.to_dict()) as writer:
        for group in groups:
            batch, _ = analyzer.analyze([
                Document(name, {"body": Content.of(*(Formula(latex) for latex in held))})
                for name, held in group.items()
            ])
            writer.add(batch)
            writer.commit()
        writer.delete(deleted)
        writer.commit()
        if merge:
            writer.merge()
    return Snapshot.open(path)


def retriever_of(snapshot: Snapshot, model: FormulaModel = DEFAULT_FORMULA_MODEL) -> StructureRanker:
    return StructureRanker(snapshot, Analyzer(AnalysisConfig.from_dict(snapshot.config)), model)


def named(snapshot: Snapshot, found: UnitResults) -> list[tuple[str, float]]:
    """Keys and scores."""
    return [
        (snapshot.segments[segment].formula_key(formula), score)
        for segment, formula, score in zip(found[0].tolist(), found[1].tolist(), found[2].tolist(), strict=True)
    ]


def sources(snapshot: Snapshot, found: UnitResults) -> list[str]:
    """The formulas as they were written."""
    return [
        snapshot.segments[segment].formula_source(formula)
        for segment, formula in zip(found[0].tolist(), found[1].tolist(), strict=True)
    ]
