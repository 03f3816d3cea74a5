"""Ranking formulas by the vectors of an encoder, and explaining a cosine by the nodes of the query."""

from __future__ import annotations

from dataclasses import dataclass, replace

from porism.explanation import Explanation
from porism.formula.tree import OperatorNode
from porism.index import Snapshot
from porism.retrieve.formulas.matches import FormulaMatch
from porism.retrieve.kinds import FormulaKind, RequiredArtifact
from porism.system.files.artifacts import FORMULA_ENCODERS
from porism.types import Formula
from porism.vectors.formula_encoder.encoding import FORMULA_ENCODING, FORMULA_RECORDS, EncodedFormulas, read_tree
from porism.vectors.formula_vectors.nearest_formulas import NearestFormulas, NearestModel, stored_formula

_SHOWN = 8
"""So many nodes of the query are shown one by one."""


@dataclass(frozen=True, slots=True)
class FormulaEncoderModel(NearestModel):
    """How formulas are ranked by the vectors of an encoder. ``encoder`` is the name of an encoder of formulas of the
    index; empty where it has one only.

    :raises ConfigError: ``least`` is out of its range.
    """

    encoder: str = ""


class FormulaEncoderRanker(NearestFormulas):
    """Ranks the formulas of a snapshot by the cosine of their vectors with a query formula's."""

    def __init__(self, snapshot: Snapshot, model: FormulaEncoderModel | None = None) -> None:
        """:raises ConfigError: the index has no such encoder."""
        self.model = model or FormulaEncoderModel()
        self.vectors = EncodedFormulas(snapshot.path, FORMULA_RECORDS.find(snapshot.path, self.model.encoder))
        super().__init__(snapshot, self.vectors, self.model.least)

    def match(self, formula: Formula, key: str) -> FormulaMatch:
        """Why a formula, given by its key, has its score: what each part of the query adds to the cosine.

        :raises QueryError: the index has no such formula.
        """
        score, segment, unit, vector = self.cosine(formula, key)
        stored = stored_formula(segment, unit)
        root = read_tree(formula)
        added = (self.vectors.encoder.parts(root) @ vector.astype("float64")).tolist()
        labels = _labels(root)[: len(added)]
        order = sorted(range(len(added)), key=lambda place: -abs(added[place]))
        parts = [Explanation(added[place], labels[place]) for place in sorted(order[:_SHOWN])]
        rest = score - sum(part.value for part in parts)
        if len(order) > _SHOWN:
            parts.append(Explanation(rest, f"the other {len(order) - _SHOWN} nodes of the query"))
        elif parts:
            last = parts[-1]
            parts[-1] = Explanation(last.value + rest, last.label)  # rounding
        explanation = Explanation(score, f"formula {stored.source}: cosine, by the nodes of the query", parts)
        return FormulaMatch(formula, stored, score, (), (), (), 0.0, 0.0, explanation)


def _labels(root: OperatorNode) -> list[str]:
    """What each node is and where, in preorder: ``x, operand 1 of sup``."""
    labels: list[str] = []
    stack = [(root, "")]
    while stack:
        node, place = stack.pop()
        labels.append(f"{node.label}{place}")
        for number in range(len(node.children), 0, -1):
            which = "an operand" if node.kind == "U" else f"operand {number}"
            stack.append((node.children[number - 1], f", {which} of {node.label}"))
    return labels


FORMULA_ENCODER = FormulaKind(
    name="formula-encoder", settings=FormulaEncoderModel, models={"formula-encoder": FormulaEncoderModel()},
    artifacts=lambda model: (RequiredArtifact(FORMULA_ENCODERS, model.encoder),),  # without a name: the only one
    vectors=FORMULA_ENCODING.providers, make=lambda snapshot, analyzer, model: FormulaEncoderRanker(snapshot, model),
    choose=lambda model, name: replace(model, encoder=name),
)
"""Formula search by an encoder that ``porism train formula-encoder`` trained."""
