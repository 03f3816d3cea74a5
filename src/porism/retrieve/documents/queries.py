"""From a query to weighted terms of channels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np

from porism.analysis.analyzer import Analyzer
from porism.analysis.channels import SYMBOLS, WORDS
from porism.analysis.symbols import text_symbols
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.lexical.settings import ChannelSettings
from porism.types import Content, Formula, Query

MOST_FORMULAS = 2_000
"""Distinct formulas of one query beyond these do not count: they would make the query take seconds."""


class QueryWeights(Protocol):
    """The settings by which terms of queries are weighted; :class:`~porism.retrieve.documents.model.SearchModel` has
    them and says what they mean."""

    @property
    def channels(self) -> Mapping[str, ChannelSettings]:
        """The channels by name."""

    @property
    def query_field_weights(self) -> Mapping[str, float]:
        """The weights of the fields of a query, 1 for a field that is not named."""

    @property
    def words_power(self) -> float:
        """The power of the weights of terms of the text."""

    @property
    def formulas_power(self) -> float:
        """The power of the weights of terms of formulas."""

    @property
    def mass_offset(self) -> float:
        """What is added to the mass of a formula."""

    @property
    def mass_exponent(self) -> float:
        """The power of the mass by which the weights of the terms of a formula are divided."""


class WeighedQueries(Protocol):
    """Weighs the terms of queries for one channel by itself."""

    def terms(self, query: Query) -> dict[str, float]:
        """Term → weight in the query."""


class QueryReader:
    """Weighs the terms of queries by a model, over the statistics of one snapshot."""

    def __init__(
        self, analyzer: Analyzer, model: QueryWeights, lexical: LexicalRetriever,
        encoded: Mapping[str, WeighedQueries] | None = None,
    ) -> None:
        """``encoded`` reads queries for channels that no analysis makes."""
        self._analyzer = analyzer
        self._encoded = {name: one for name, one in (encoded or {}).items() if name in lexical.channels}
        self._model = model
        self._lexical = lexical
        self._text = [name for name in analyzer.config.text if name in lexical.channels]
        self._formulas = [name for name in analyzer.config.formulas if name in lexical.channels]
        self._last: Mapping[tuple[str, str], Mapping[str, Sequence[str]]] = {}
        self._powers: dict[str, float] = {}
        self._field_weights: dict[str, Mapping[str, float]] = {}
        for names, power in ((self._text, model.words_power), (self._formulas, model.formulas_power)):
            for name in names:
                own = model.channels[name] if name in model.channels else ChannelSettings()
                self._powers[name] = power if own.power is None else own.power
                self._field_weights[name] = (
                    model.query_field_weights if own.query_field_weights is None else own.query_field_weights
                )

    def terms(self, query: Query) -> dict[str, dict[str, float]]:
        """Channel → term → weight q, as :class:`~porism.retrieve.documents.model.SearchModel` defines it; of channels
        of encoders what these say."""
        sums: dict[str, defaultdict[str, float]] = {
            name: defaultdict(float) for name in (*self._text, *self._formulas)
        }
        weights_of: defaultdict[tuple[str, str], defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
        for field_name, content in query.fields.items():
            weights = {name: of_fields.get(field_name, 1.0) for name, of_fields in self._field_weights.items()}
            counting = [name for name in self._text if weights[name] > 0]
            if SYMBOLS in counting:
                counting.remove(SYMBOLS)
                self._add_symbols(sums[SYMBOLS], content, weights[SYMBOLS])
            found = self._analyzer.content_terms(content, counting) if counting else {}
            for name in counting:
                sum_of, weight = sums[name], weights[name]
                for term in found[name]:
                    sum_of[term] += weight
            if any(weights[name] > 0 for name in self._formulas):
                for formula in content.formulas:
                    of_channel = weights_of[formula.notation, formula.source]
                    for name in self._formulas:
                        of_channel[name] += weights[name]
        self._add_formulas(sums, weights_of)
        weighed = {
            name: {term: total ** self._powers[name] for term, total in found_terms.items()}
            for name, found_terms in sums.items() if found_terms
        }
        for name, queries in self._encoded.items():
            if terms := queries.terms(query):
                weighed[name] = terms
        return weighed

    def words(self, query: Query) -> dict[str, float]:
        """The terms of the channel ``words`` → weight q, as in :meth:`terms`; without reading the formulas."""
        if WORDS not in self._powers:
            return {}
        sums: defaultdict[str, float] = defaultdict(float)
        for field_name, content in query.fields.items():
            weight = self._field_weights[WORDS].get(field_name, 1.0)
            if weight > 0:
                for term in self._analyzer.content_terms(content, [WORDS])[WORDS]:
                    sums[term] += weight
        return {term: total ** self._powers[WORDS] for term, total in sums.items()}

    def _add_symbols(self, sum_of: defaultdict[str, float], content: Content, weight: float) -> None:
        """Adds the symbols of a content: those of its text count as words do, those of its formulas as formulas do."""
        for _, _, term in text_symbols(content.text):
            sum_of[term] += weight
        of_formulas = [self._analyzer.formula_symbols(formula) for formula in content.formulas[:MOST_FORMULAS]]
        idf = self._idf(SYMBOLS, {term for terms in of_formulas for term in terms})
        for terms in of_formulas:
            share = weight * self._share(sum(idf[term] for term in terms))
            for term in terms:
                sum_of[term] += share

    def _share(self, mass: float) -> float:
        """What a term of a formula of this mass counts."""
        return float((mass + self._model.mass_offset) ** -self._model.mass_exponent)

    def formula_terms(
        self, formula: Formula, weights: Mapping[str, float]
    ) -> tuple[dict[str, dict[str, float]], Mapping[str, Sequence[str]]]:
        """The terms of one formula, as those of a query that has it with these weights by channel and nothing else;
        and the terms as they come, by channel."""
        found = self._last.get((formula.notation, formula.source))
        if found is None:
            found = self._analyzer.formula_terms(formula, self._formulas).terms
        sums: dict[str, defaultdict[str, float]] = {name: defaultdict(float) for name in self._formulas}
        self._add_terms(sums, [(found, weights)])
        return {
            name: {term: total ** self._powers[name] for term, total in weighed.items()}
            for name, weighed in sums.items() if weighed
        }, found

    def formula_weights(self, fields: Iterable[str]) -> dict[str, float]:
        """What a formula that occurs once in each of these query fields counts, by channel."""
        names = list(fields)
        return {
            channel: sum(self._field_weights[channel].get(name, 1.0) for name in names) for channel in self._formulas
        }

    def _add_formulas(
        self, sums: Mapping[str, defaultdict[str, float]], weights_of: Mapping[tuple[str, str], Mapping[str, float]]
    ) -> None:
        """Adds each formula's terms, times its weight in the query and divided by a power of its mass."""
        if not self._formulas or not weights_of:
            return
        found = {
            (notation, source): self._analyzer.formula_terms(Formula(source, notation), self._formulas).terms  # type: ignore[arg-type]
            for notation, source in list(weights_of)[:MOST_FORMULAS]
        }
        self._last = found  # what is read one by one next are the formulas of the same query
        self._add_terms(sums, [(terms, weights_of[key]) for key, terms in found.items()])

    def _add_terms(
        self, sums: Mapping[str, defaultdict[str, float]],
        formulas: Sequence[tuple[Mapping[str, Sequence[str]], Mapping[str, float]]],
    ) -> None:
        for name in self._formulas:
            idf = self._idf(name, {term for terms, _ in formulas for term in terms[name]})
            sum_of = sums[name]
            for terms, weights in formulas:
                if weights[name] == 0:
                    continue
                mass = sum(idf[term] for term in terms[name])
                share = weights[name] * self._share(mass)
                for term in terms[name]:
                    sum_of[term] += share

    def _idf(self, channel: str, terms: Iterable[str]) -> dict[str, float]:
        """The inverse document frequencies of terms, those that no document has included."""
        ordered = sorted(terms)
        df = self._lexical.document_frequencies(channel, ordered).astype(np.float64)
        documents = self._lexical.statistics(channel).documents
        return dict(zip(ordered, np.log1p((documents - df + 0.5) / (df + 0.5)).tolist(), strict=True))
