"""Re-ranking by the score that a search would give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.explanation import Explanation
from porism.lab.pipeline.protocols import DEPTH, check_count
from porism.lab.pipeline.rerankers.plain import check_first_stage
from porism.lab.pipeline.rerankers.scoring import ScoringReranker
from porism.lab.pipeline.rerankers.texts import DocumentSource
from porism.retrieve import Retriever, RetrieverSettings
from porism.search.models.models import channels_of, model_from, named_model, setting_names, tuned_further, write_model
from porism.search.searcher import IndexSearcher
from porism.settings import Settings, read_settings
from porism.types import Query


class RetrieverReranker(ScoringReranker):
    """Re-ranks documents of an index by the score that a search by a model gives them, whatever found them first.

    So a fast or an unusual first stage is combined with a model that weighs more. Scores are those of a search
    by the model whose candidates are the documents given: feedback learns from the whole index, links count between
    these documents only. Documents that the index does not have come beneath the others.
    """

    def __init__(
        self, index: IndexSearcher | Retriever, model: RetrieverSettings | str | None = None, depth: int = DEPTH
    ) -> None:
        """
        :param model: another than that of the index, of any kind; a retriever keeps its own.
        :raises ConfigError: a model is given for a retriever.
        :raises QueryError: ``depth`` is below 1.
        """
        if isinstance(index, IndexSearcher):
            self.retriever: Retriever = (index if model is None else index.with_models(model)).retriever
        elif model is None:
            self.retriever = index
        else:
            raise ConfigError("a retriever has its model already", hint="Give the index, to choose another.")
        self.depth = check_count(depth, "the depth")
        self.tuned_on = self.retriever.model.tuned_on

    def scores(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        return self.retriever.score_documents(query, doc_ids)

    def reason(self, query: Query, doc_ids: Sequence[str], scores: NDArray[np.float64], at: int) -> Explanation:
        """See :meth:`ScoringReranker.reason`: the explanation of a search, and what counts only among these documents.
        """
        of_search, score = self.retriever.explain(query, doc_ids[at]), float(scores[at])
        if of_search.value == score:
            return of_search
        rest = Explanation(score - of_search.value, "as one of the documents that are re-ranked")
        return Explanation(score, of_search.label, [*of_search.parts, rest] if of_search.parts else [of_search, rest])

    def describe(self) -> dict[str, Any]:
        return {"kind": "RetrieverReranker", "model": write_model(self.retriever.model)}


class RetrieverRerankerKind:
    """Documents have the score of a search by a model of any kind: :class:`RetrieverReranker`."""

    def names(self, model: str, given: Mapping[str, Any], folder: Path) -> list[str]:
        """Those of the model, as far as it is known, and the share of the first stage."""
        return [*setting_names(model, None, False, folder), *_OWN]

    def settings(self, model: str, given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        own, of_model = _split(given)
        return write_model(named_model(model, of_model, False, folder)) | {"first_stage": own.first_stage}

    def check(self, settings: Mapping[str, Any]) -> None:
        model_from(_split(settings)[1])

    def channels(self, settings: Mapping[str, Any]) -> tuple[str, ...]:
        return channels_of(model_from(model_settings(settings)))

    def make(self, settings: Mapping[str, Any], depth: int, index: DocumentSource) -> RetrieverReranker:
        """One that scores by this index.

        :raises ConfigError: the documents are on servers.
        """
        if not isinstance(index, IndexSearcher):
            raise ConfigError(
                "a model of search re-ranks documents of indexes on this machine only",
                hint="Use a reranker that reads documents, such as cross-encoder, or copy the indexes here.",
            )
        own, of_model = _split(settings)
        reranker = RetrieverReranker(index, model_from(of_model), depth)
        reranker.first_stage = own.first_stage
        return reranker

    def stored(self, settings: Mapping[str, Any], tuned_on: tuple[str, ...]) -> dict[str, Any]:
        """The model, which can also search; so without the share of the first stage."""
        return write_model(tuned_further(model_from(model_settings(settings)), tuned_on))


@dataclass(frozen=True, slots=True)
class _Own(Settings):
    """What is not a setting of the model: the share of the first stage's scores in a sum with the model's, both as
    standard scores."""

    first_stage: float = 0.0

    def __post_init__(self) -> None:
        check_first_stage(self.first_stage)


_OWN = ("first_stage",)


def model_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a re-ranking without its own: those of the model that searches."""
    return {name: value for name, value in settings.items() if name not in _OWN}


def _split(settings: Mapping[str, Any]) -> tuple[_Own, dict[str, Any]]:
    """The settings of a re-ranking, and those of its model."""
    own = {name: value for name, value in settings.items() if name in _OWN}
    return read_settings(_Own, own), model_settings(settings)
