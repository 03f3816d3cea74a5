"""Pipelines: retrievers, rerankers and fusions put together, each stage a retriever again.

::

    from porism.pipeline import RetrieverReranker, formula_pipeline, fused, pipeline

    stage = pipeline(index, fast) % 200 >> RetrieverReranker(index)
    run = stage.search(queries, 100)
"""

from porism.pipeline.building import formula_pipeline, fused, pipeline
from porism.pipeline.protocols import DEPTH, Reranker
from porism.pipeline.rerankers.pairwise import PairwiseReranker, StoredPairsReranker
from porism.pipeline.rerankers.retriever import RetrieverReranker
from porism.pipeline.rerankers.scoring import ScoringReranker, rescored
from porism.pipeline.retrieving import FormulaStage, RunStage, SearchStage, describe_index
from porism.pipeline.stages import CutoffStage, CutReranker, FusedStage, NamedStage, RerankStage, RetrieverStage, Stage

__all__ = [
    "DEPTH",
    "CutReranker",
    "CutoffStage",
    "FormulaStage",
    "FusedStage",
    "NamedStage",
    "PairwiseReranker",
    "RerankStage",
    "Reranker",
    "RetrieverReranker",
    "RetrieverStage",
    "RunStage",
    "ScoringReranker",
    "SearchStage",
    "Stage",
    "StoredPairsReranker",
    "describe_index",
    "formula_pipeline",
    "fused",
    "pipeline",
    "rescored",
]
