"""Pipelines: retrievers, rerankers and fusions put together, each stage a retriever again.

::

    from porism.lab.pipeline import RetrieverReranker, formula_pipeline, fused, pipeline

    stage = pipeline(index, fast) % 200 >> RetrieverReranker(index)
    run = stage.search(queries, 100)
"""

from porism.lab.pipeline.building import (
    FormulaStage,
    RunStage,
    SearchStage,
    describe_index,
    formula_pipeline,
    fused,
    pipeline,
)
from porism.lab.pipeline.protocols import DEPTH, Reranker
from porism.lab.pipeline.rerankers.pairwise import PairwiseReranker, StoredPairsReranker
from porism.lab.pipeline.rerankers.retriever import RetrieverReranker
from porism.lab.pipeline.rerankers.scoring import ScoringReranker, rescored
from porism.lab.pipeline.stages import (
    CutoffStage,
    CutReranker,
    FusedStage,
    NamedStage,
    PipelineStage,
    RerankStage,
    RetrieverStage,
)

__all__ = [
    "DEPTH",
    "CutReranker",
    "CutoffStage",
    "FormulaStage",
    "FusedStage",
    "NamedStage",
    "PairwiseReranker",
    "PipelineStage",
    "RerankStage",
    "Reranker",
    "RetrieverReranker",
    "RetrieverStage",
    "RunStage",
    "ScoringReranker",
    "SearchStage",
    "StoredPairsReranker",
    "describe_index",
    "formula_pipeline",
    "fused",
    "pipeline",
    "rescored",
]
