"""Kinds of rerankers by a sequence-to-sequence model, and by models that compare two documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from porism.lab.pairwise.aggregation.registry import DEFAULT, make_aggregation
from porism.lab.pairwise.sorting.registry import make_sorting
from porism.lab.pipeline.protocols import Reranker
from porism.lab.pipeline.rerankers.compared import ModelPairsReranker, Orders
from porism.lab.pipeline.rerankers.model_kinds import ModelKind, ModelSettings, texts_for, tuned
from porism.lab.pipeline.rerankers.pointwise import PointwiseReranker
from porism.lab.pipeline.rerankers.texts import DocumentSource
from porism.vectors.neural.scoring.base import Scorer


@dataclass(frozen=True, slots=True)
class MonoSettings(ModelSettings):
    """Documents have the logit with which a sequence-to-sequence model says that they are relevant.

    :param true: the token that says so, ``false`` its opposite.
    """

    true: str = "true"
    false: str = "false"


@dataclass(frozen=True, slots=True)
class PairsSettings(ModelSettings):
    """Documents have what an aggregation makes of their comparisons with the others.

    :param method: the aggregation, with its ``parameters``.
    :param orders: whether each pair is read in both orders or in one.
    :param sorting: with fewer comparisons than all: a name of a sorting, with its ``sorting_parameters``; then there is
        no aggregation. Its own ``both`` says whether pairs are read in both orders.
    """

    method: str = DEFAULT
    parameters: Mapping[str, Any] = field(default_factory=dict)
    orders: Orders = "both"
    sorting: str = ""
    sorting_parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ModelSettings.__post_init__(self)
        make_aggregation(self.method, self.parameters)
        if self.sorting:
            make_sorting(self.sorting, self.sorting_parameters)


@dataclass(frozen=True, slots=True)
class DuoSettings(PairsSettings):
    """Those of pairs, by a sequence-to-sequence model; ``true`` says that the first document is more relevant."""

    true: str = "true"
    false: str = "false"


def _mono(index: DocumentSource, settings: MonoSettings, depth: int) -> Reranker:
    from porism.vectors.neural.scoring.seq2seq import TrueFalse

    scorer = TrueFalse(
        settings.model, length=settings.length, true=settings.true, false=settings.false, device=settings.device,
        precision=settings.precision, index_path=index.folder,
    )
    return tuned(PointwiseReranker(scorer, texts_for(index, settings), depth), settings)


def _duo(index: DocumentSource, settings: DuoSettings, depth: int) -> Reranker:
    from porism.vectors.neural.scoring.seq2seq import TrueFalse

    scorer = TrueFalse(
        settings.model, documents=2, length=settings.length, true=settings.true, false=settings.false,
        device=settings.device, precision=settings.precision, index_path=index.folder,
    )
    return _compared(index, settings, depth, scorer)


def _pairwise_cross_encoder(index: DocumentSource, settings: PairsSettings, depth: int) -> Reranker:
    from porism.vectors.neural.scoring.cross_encoder import CrossEncoder

    scorer = CrossEncoder(
        settings.model, documents=2, length=settings.length, device=settings.device, precision=settings.precision,
        index_path=index.folder,
    )
    return _compared(index, settings, depth, scorer)


def _compared(index: DocumentSource, settings: PairsSettings, depth: int, scorer: Scorer) -> Reranker:
    sorting = make_sorting(settings.sorting, settings.sorting_parameters) if settings.sorting else None
    reranker = ModelPairsReranker(
        scorer, texts_for(index, settings), make_aggregation(settings.method, settings.parameters), depth,
        orders=settings.orders, sorting=sorting,
    )
    return tuned(reranker, settings)


MONO_KIND: ModelKind[MonoSettings] = ModelKind("mono-t5", MonoSettings, _mono)
DUO_KIND: ModelKind[DuoSettings] = ModelKind("duo-t5", DuoSettings, _duo)
PAIRWISE_CROSS_ENCODER_KIND: ModelKind[PairsSettings] = ModelKind(
    "pairwise-cross-encoder", PairsSettings, _pairwise_cross_encoder
)
