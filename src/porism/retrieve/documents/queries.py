"""Reads queries as weighted terms of channels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np

from porism.analysis.analyzer import Analyzer
from porism.analysis.channels import FORMULA_TOKENS, SYMBOLS, WORDS
from porism.analysis.question_languages import languages_given
from porism.analysis.symbols import text_symbols
from porism.retrieve.documents.encoded_channels import SparseQueryReader
from porism.retrieve.lexical.global_statistics import given_statistics
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.lexical.settings import ChannelSettings
from porism.types import Content, Formula, Query

MAX_FORMULAS = 2_000
"""Further distinct formulas of a query do not count: they would make it take seconds."""


class QueryWeightSettings(Protocol):
    """The settings that weight the terms of queries (:class:`~porism.retrieve.documents.model.SearchModel`)."""

    @property
    def channels(self) -> Mapping[str, ChannelSettings]: ...
    @property
    def query_field_weights(self) -> Mapping[str, float]: ...
    @property
    def words_power(self) -> float: ...
    @property
    def formulas_power(self) -> float: ...
    @property
    def mass_offset(self) -> float: ...
    @property
    def mass_exponent(self) -> float: ...
    @property
    def formula_words(self) -> float: ...


class QueryReader:
    """Weights the terms of queries by a model, with the statistics of a snapshot."""

    def __init__(
        self, analyzer: Analyzer, model: QueryWeightSettings, lexical: LexicalRetriever,
        encoded: Mapping[str, SparseQueryReader] | None = None,
    ) -> None:
        """``encoded`` reads queries for the channels of encoders."""
        self._analyzer = analyzer
        self._encoded = {name: channel for name, channel in (encoded or {}).items() if name in lexical.channels}
        self._model = model
        self._lexical = lexical
        self._text = [name for name in analyzer.config.text if name in lexical.channels]
        self._formulas = [name for name in analyzer.config.formulas if name in lexical.channels]
        self._read: tuple[tuple[object, object, object], dict[str, dict[str, float]]] | None = None
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
        """Channel → term → weight q, as :class:`~porism.retrieve.documents.model.SearchModel` defines it.

        Encoders weight the terms of their own channels. The last query is remembered: components ask for it again.
        """
        given = (query, given_statistics(), languages_given())
        last = self._read
        if last is None or not all(own is other for own, other in zip(last[0], given, strict=True)):
            last = self._read = (given, self._terms(query))
        return {name: dict(weights) for name, weights in last[1].items()}

    def _terms(self, query: Query) -> dict[str, dict[str, float]]:
        sums: dict[str, defaultdict[str, float]] = {name: defaultdict(float) for name in (*self._text, *self._formulas)}
        weights_of: defaultdict[tuple[str, str], defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
        for field_name, content in query.fields.items():
            weights = {name: of_fields.get(field_name, 1.0) for name, of_fields in self._field_weights.items()}
            counting = [name for name in self._text if weights[name] > 0]
            if SYMBOLS in counting:
                counting.remove(SYMBOLS)
                self._add_symbols(sums[SYMBOLS], content, weights[SYMBOLS])
            by_channel = self._analyzer.content_terms(content, counting) if counting else {}
            for name in counting:
                sum_of, weight = sums[name], weights[name]
                for term in by_channel[name]:
                    sum_of[term] += weight
            if any(weights[name] > 0 for name in self._formulas):
                for formula in content.formulas:
                    of_channel = weights_of[formula.notation, formula.source]
                    for name in self._formulas:
                        of_channel[name] += weights[name]
        self._add_formulas(sums, weights_of)
        if WORDS in sums:
            self._add_formula_words(sums[WORDS], query)
        weighed = {
            name: {term: total ** self._powers[name] for term, total in found_terms.items()}
            for name, found_terms in sums.items() if found_terms
        }
        for name, queries in self._encoded.items():
            if terms := queries.terms(query):
                weighed[name] = terms
        return weighed

    def words(self, query: Query) -> dict[str, float]:
        """The weights of :meth:`terms` in the channel ``words``, computed without reading formulas."""
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
        """Adds the symbols of a content: those in its text weigh as words, those in its formulas as formula terms."""
        for _, _, term in text_symbols(content.text):
            sum_of[term] += weight
        of_formulas = [self._analyzer.formula_symbols(formula) for formula in content.formulas[:MAX_FORMULAS]]
        idf = self._idf(SYMBOLS, {term for terms in of_formulas for term in terms})
        for terms in of_formulas:
            share = weight * self._share(sum(idf[term] for term in terms))
            for term in terms:
                sum_of[term] += share

    def _add_formula_words(self, sum_of: defaultdict[str, float], query: Query) -> None:
        """Adds letters, numbers and names of formulas as words, as far as documents write them outside of formulas.

        Each counts once in a formula, times ``formula_words · p²``; p is the share of documents that have it as a word
        among those that have it as a word or as a token of a formula.
        """
        weights_of = self._formula_words(query)
        terms_of = self.formula_words(query)
        terms = sorted(set().union(*terms_of.values()))
        as_words = dict(zip(terms, self._lexical.document_frequencies(WORDS, terms).tolist(), strict=True))
        in_formulas = dict.fromkeys(terms_of, 0)
        if FORMULA_TOKENS in self._formulas:
            counts = self._lexical.document_frequencies(FORMULA_TOKENS, list(terms_of)).tolist()
            in_formulas = dict(zip(terms_of, counts, strict=True))
        for token, weight in weights_of.items():
            for term in terms_of[token]:
                if written := as_words[term]:
                    share = written / (written + in_formulas[token])
                    sum_of[term] += self._model.formula_words * weight * share**2

    def _formula_words(self, query: Query) -> Mapping[str, float]:
        weights_of: defaultdict[str, float] = defaultdict(float)
        if self._model.formula_words and WORDS in self._powers:
            for field_name, content in query.fields.items():
                weight = self._field_weights[WORDS].get(field_name, 1.0)
                for formula in content.formulas[:MAX_FORMULAS] if weight > 0 else ():
                    for token in self._analyzer.formula_words(formula):
                        weights_of[token] += weight
        return weights_of

    def formula_words(self, query: Query) -> dict[str, set[str]]:
        """The tokens of a query's formulas that are searched as words, and the words of each.

        How many documents have the former as tokens and the latter as words decides how much they count.
        """
        return {
            token: {term for form in self._analyzer.word_forms(token) for term in form.terms if term}
            for token in self._formula_words(query)
        }

    def _share(self, mass: float) -> float:
        """The count of a term in a formula of this mass."""
        return float((mass + self._model.mass_offset) ** -self._model.mass_exponent)

    def formula_terms(
        self, formula: Formula, weights: Mapping[str, float]
    ) -> tuple[dict[str, dict[str, float]], Mapping[str, Sequence[str]]]:
        """The weighted terms of a query that consists of this formula, with these weights by channel; and all its terms
        by channel."""
        terms = self._analyzer.formula_terms(formula, self._formulas).terms
        sums: dict[str, defaultdict[str, float]] = {name: defaultdict(float) for name in self._formulas}
        self._add_terms(sums, [(terms, weights)])
        return {
            name: {term: total ** self._powers[name] for term, total in weighed.items()}
            for name, weighed in sums.items() if weighed
        }, terms

    def formula_weights(self, fields: Iterable[str]) -> dict[str, float]:
        """The weight, by channel, of a formula that occurs once in each of these query fields."""
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
        terms_of = {
            (notation, source): self._analyzer.formula_terms(
                Formula(source, notation), self._formulas  # type: ignore[arg-type]
            ).terms
            for notation, source in list(weights_of)[:MAX_FORMULAS]
        }
        self._add_terms(sums, [(terms, weights_of[key]) for key, terms in terms_of.items()])

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
        """The inverse document frequencies of terms, which may be of no document."""
        ordered = sorted(terms)
        df = self._lexical.document_frequencies(channel, ordered).astype(np.float64)
        documents = self._lexical.statistics(channel).documents
        return dict(zip(ordered, np.log1p((documents - df + 0.5) / (df + 0.5)).tolist(), strict=True))
