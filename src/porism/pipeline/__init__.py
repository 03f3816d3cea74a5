"""Pipelines: retrievers, rerankers and fusions put together, each stage a retriever again.

::

    from porism.pipeline import HybridReranker, formula_pipeline, fused, pipeline

    stage = pipeline(index, fast) % 200 >> HybridReranker(index)
    run = stage.search(queries, 100)
"""

from porism.pipeline.making import formula_pipeline, fused, pipeline
from porism.pipeline.protocols import DEPTH, Reranker, Retriever
from porism.pipeline.rerankers import HybridReranker, ScoringReranker, rescored
from porism.pipeline.sources import FormulaStage, RunStage, SearchStage, describe_index
from porism.pipeline.stages import CutoffStage, CutReranker, FusedStage, NamedStage, RerankStage, RetrieverStage, Stage

__all__ = [
    "DEPTH",
    "CutReranker",
    "CutoffStage",
    "FormulaStage",
    "FusedStage",
    "HybridReranker",
    "NamedStage",
    "RerankStage",
    "Reranker",
    "Retriever",
    "RetrieverStage",
    "RunStage",
    "ScoringReranker",
    "SearchStage",
    "Stage",
    "describe_index",
    "formula_pipeline",
    "fused",
    "pipeline",
    "rescored",
]
