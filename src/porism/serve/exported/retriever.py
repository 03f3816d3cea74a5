"""A retriever whose candidates an engine outside Porism finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.explanation import Explanation
from porism.index import Masks
from porism.retrieve.base import HasQueryWarnings, Retriever, RetrieverSettings
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.serve.exported.opening import OpenExport
from porism.types import Query


class ExportedRetriever:
    """Searches by the retriever of another model, which asks an engine; says which engine. Immutable, and safe to share
    between threads."""

    def __init__(self, kind: str, model: RetrieverSettings, export: OpenExport, inner: Retriever) -> None:
        self._kind, self._model = kind, model
        self.export, self.inner = export, inner

    @property
    def model(self) -> RetrieverSettings:
        """Its settings."""
        return self._model

    @property
    def _tuned_on(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self._model.tuned_on, *self.inner.model.tuned_on)))

    def describe(self) -> dict[str, Any]:
        """``kind`` search and the ``model``, with what describes the inner one and the commit that was exported."""
        described = {
            "kind": self._kind, **self._model.to_dict(), "opened": self.inner.describe(),
            "exported_commit": self.export.state.generation,
        }
        return {"kind": "search", "model": described}

    def search(
        self, queries: Iterable[Query], k: int = 1000, *, allowed: Masks | None = None, name: str = "porism"
    ) -> Run:
        """The best ``k`` documents of each query, as the inner model ranks them.

        :raises QueryError: ``k`` is below 1, or two queries have one id.
        :raises EngineError: the engine cannot be reached or refuses.
        """
        run = self.inner.search(queries, k, allowed=allowed, name=name)
        seconds = run.provenance.seconds if run.provenance is not None else {}
        return run.with_provenance(Provenance(self.describe(), self._tuned_on, seconds=seconds))

    def explain(self, query: Query, doc_id: str, *, k: int = 10, allowed: Masks | None = None) -> Explanation:
        """Why a document has its score, as the inner model explains it.

        :raises QueryError: the index has no such document.
        """
        return self.inner.explain(query, doc_id, k=k, allowed=allowed)

    def score_documents(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        """The scores that the inner model gives (float64, in the order given)."""
        return self.inner.score_documents(query, doc_ids)

    def notes(self, query: Query) -> list[str]:
        """What the engine does not know yet, and what the inner model has to say."""
        own = [self.export.behind] if self.export.behind else []
        return own + (self.inner.notes(query) if isinstance(self.inner, HasQueryWarnings) else [])
