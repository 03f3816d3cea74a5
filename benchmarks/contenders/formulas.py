"""Porism's formula search as a contender: the default model, models by name, and its channels without alignment.

The documents are formulas, each named by its visual id.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, ClassVar

from benchmarks.common.formula_index import (
    DocumentSearch,
    FormulaSearch,
    build_formula_index,
    channels_of,
    formula_model,
)
from benchmarks.common.formula_task import FIELD
from benchmarks.common.task import Entry
from benchmarks.contenders.base import Answer, Contender


class PorismFormulas(Contender):
    """Formula search with a model (``formulas-porism:NAME``; the default one without a name)."""

    title = "Porism"

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Each formula's visual id and LaTeX."""
        for entry in self.documents():
            yield entry.id, latex_of(entry)

    def build(self) -> dict[str, Any]:
        jobs = int(self.settings["jobs"]) if self.settings.get("jobs") else None
        model = formula_model(self.settings["variant"])
        return {"problems": build_formula_index(self.pairs(), self.index, channels_of(model), jobs, model)}

    def open(self) -> None:
        self.search = FormulaSearch(self.index, formula_model(self.settings["variant"]))

    def ask(self, topic: Entry, k: int) -> Answer:
        latex = latex_of(topic)
        start = time.perf_counter()
        found = self.search.ask(latex, k)
        return time.perf_counter() - start, found


class PorismChannels(PorismFormulas):
    """The engine of document search, formulas as documents: a weighted sum of channels and no alignment."""

    title = "Porism, channels as in document search"
    channels: ClassVar[tuple[str, ...]] = ("tokens", "tokens-2", "tokens-3", "approach0", "subtrees")

    def build(self) -> dict[str, Any]:
        jobs = int(self.settings["jobs"]) if self.settings.get("jobs") else None
        return {"problems": build_formula_index(self.pairs(), self.index, self.channels, jobs)}

    def open(self) -> None:
        self.search = DocumentSearch(self.index)


def latex_of(entry: Entry) -> str:
    """The one formula of a document or topic."""
    return entry.fields[FIELD][0][1]
