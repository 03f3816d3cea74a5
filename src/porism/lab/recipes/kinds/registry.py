"""All kinds of tables, in the order in which an experiment calls them and reports show systems."""

from __future__ import annotations

from typing import Any

from porism.lab.recipes.kinds.aggregations import AGGREGATION_KIND
from porism.lab.recipes.kinds.base import TableKind
from porism.lab.recipes.kinds.collection import COLLECTION_KIND
from porism.lab.recipes.kinds.embeddings import EMBEDDING_KIND
from porism.lab.recipes.kinds.encoders import ENCODER_KIND
from porism.lab.recipes.kinds.encodings import ENCODING_KINDS
from porism.lab.recipes.kinds.fusions import FUSION_KIND
from porism.lab.recipes.kinds.models import FORMULA_ENCODER_KIND, LANGUAGE_MODEL_KIND, RERANKER_MODEL_KIND
from porism.lab.recipes.kinds.pairs import PAIR_KIND
from porism.lab.recipes.kinds.pipelines import PIPELINE_KIND
from porism.lab.recipes.kinds.report import REPORT_KIND
from porism.lab.recipes.kinds.rerankers import RERANKER_KIND
from porism.lab.recipes.kinds.runs import RUN_KIND
from porism.lab.recipes.kinds.similarities import SIMILARITY_KIND
from porism.lab.recipes.kinds.tokenizers import TOKENIZER_KIND
from porism.lab.recipes.kinds.topics import TOPIC_KIND
from porism.lab.recipes.kinds.tuning import TUNING_KIND

KINDS: tuple[TableKind[Any], ...] = (
    COLLECTION_KIND,
    TOKENIZER_KIND,
    EMBEDDING_KIND,
    SIMILARITY_KIND,
    PAIR_KIND,
    LANGUAGE_MODEL_KIND,
    ENCODER_KIND,
    RERANKER_MODEL_KIND,
    FORMULA_ENCODER_KIND,
    *ENCODING_KINDS,
    TOPIC_KIND,
    RUN_KIND,
    PIPELINE_KIND,
    RERANKER_KIND,
    AGGREGATION_KIND,
    FUSION_KIND,
    TUNING_KIND,
    REPORT_KIND,
)
"""The kinds. A kind comes after those that it needs; systems can be made of any other systems."""
