"""From documents and queries to the terms of each channel.

Channels are values that :mod:`porism.analysis.channels` makes. Documents are analysed in batches, which several
processes can share; each distinct formula of a batch is parsed once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.analysis.batch import AnalyzedBatch
from porism.analysis.channels import (
    SYMBOL_FORM,
    WORD_FORM,
    WORD_PAIRS,
    WORDS,
    Channel,
    FormulaChannel,
    FormulaForm,
    TextChannel,
    TextTools,
    UnknownChannel,
    parse_channel,
)
from porism.analysis.configuration import CHANNEL_SETS, DEFAULT_FORMULAS, TEXT_CHANNELS, AnalysisConfig, channels_named
from porism.analysis.detection import detect_question
from porism.analysis.document_languages import labelled, languages_of, stated_language
from porism.analysis.documents import clean_text, dump_document
from porism.analysis.languages import LanguageChoice, read_choice
from porism.analysis.question_languages import RARE_LANGUAGE, Languages, languages_given
from porism.analysis.stop_words import NO_STOP_WORDS
from porism.analysis.term_columns import TermColumns, indexed_forms
from porism.analysis.words import OWN_STOP_WORDS, Match, WordAnalyzer
from porism.errors import PorismError, Problem, pluralise
from porism.formula import LayoutTree, OperatorTree, layout_key, operator_tree, pack_tree, parse, to_latex
from porism.formula.recognition.recognising import recognise
from porism.system.concurrency.caching import cached_property
from porism.system.garbage import without_collector
from porism.types import PLACEHOLDER, Content, Document, Formula, Notation

__all__ = [
    "CHANNEL_SETS",
    "DEFAULT_FORMULAS",
    "TEXT_CHANNELS",
    "WORDS",
    "WORD_PAIRS",
    "AnalysisConfig",
    "AnalyzedFormula",
    "Analyzer",
    "channels_named",
    "read_formula",
]

@dataclass(frozen=True, slots=True)
class AnalyzedFormula:
    """A distinct formula: its normalised key and its terms by channel, with repetition."""

    key: str
    terms: Mapping[str, list[str]]


@lru_cache(maxsize=256)
def read_formula(source: str, notation: Notation) -> tuple[LayoutTree, OperatorTree]:
    """Both trees of a formula, as indexing reads it; they are cached and must not be changed.

    A query is read several times: to search documents, to search formulas, and to show it.
    """
    layout = parse(Formula(clean_text(source), notation))
    return layout, operator_tree(layout)


_REMEMBERED_FORMULAS = _REMEMBERED_TERMS = 1 << 14


class WordForms(NamedTuple):
    """A word at ``start:end`` of a text, and its term in each language of an index, None if it is a stop word there."""

    start: int
    end: int
    terms: tuple[str | None, ...]


class _LanguageTools:
    """The word analyzers of text channels in one language."""

    def __init__(self, analyzer: Analyzer, language: str, stop_words: str) -> None:
        config = analyzer.config
        self.form = analyzer.form
        self.words = WordAnalyzer(language, stop_words, config.identifiers)
        self.plain_words = WordAnalyzer(language, stop_words)
        self.all_words = WordAnalyzer(language, NO_STOP_WORDS, config.identifiers)


class Analyzer:
    """Fills the channels of an :class:`AnalysisConfig`. Cheap to make and to pickle.

    A document has the terms of its language. A question has the terms of each word in all languages of an index, so
    that it finds documents in any of them.
    """

    def __init__(self, config: AnalysisConfig | None = None, languages: Languages = MappingProxyType({})) -> None:
        """``languages`` counts the documents of an index; if empty, the language is that of the configuration."""
        self.config = config or AnalysisConfig()
        self._given_languages = languages
        self._tools: dict[tuple[str, str], _LanguageTools] = {}
        self._in_place: dict[tuple[str, str, str], list[str]] = {}
        self._asked: dict[tuple[str, str, str], list[str]] = {}
        self._channels: dict[str, Channel] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Analyzer, (self.config, dict(self._own_languages))

    @cached_property
    def choice(self) -> LanguageChoice:
        """The languages that documents can be in."""
        return read_choice(self.config.language)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the documents, in which questions are read."""
        return tuple(self._language_counts)

    @property
    def _language_counts(self) -> Mapping[str, int]:
        return languages_given() or self._own_languages

    @cached_property
    def _own_languages(self) -> Mapping[str, int]:
        given = self._given_languages
        return (given() if callable(given) else given) or {self.choice.fallback: 1}

    def _in_language(self, language: str, question_language: str | None = None) -> _LanguageTools:
        """The word analyzers of a language, without the stop words of it and of the question's language."""
        stop_words = self.config.stop_words
        if stop_words == OWN_STOP_WORDS and question_language not in (None, language):
            stop_words = f"{OWN_STOP_WORDS}+{question_language}"
        tools = self._tools.get((language, stop_words))
        if tools is None:
            tools = self._tools[language, stop_words] = _LanguageTools(self, language, stop_words)
        return tools

    def words_in(self, language: str) -> WordAnalyzer:
        """The word analyzer of documents in a language."""
        return self._in_language(language).words

    def document_language(self, document: Document) -> str:
        """The language in which a document of an index was analysed."""
        return (stated_language(document) if self.choice.detected else None) or self.choice.fallback

    def word_forms(self, text: str) -> list[WordForms]:
        """All words of a question with their places and their terms in each language of the index."""
        first, *others = (self.words_in(language).words(text) for language in self.languages)
        return [
            WordForms(word.start, word.end, tuple(form.term for form in forms))
            for word, *forms in zip(first, first, *others, strict=True)
        ]

    def matcher(self, terms: Iterable[str]) -> Callable[[str], list[Match]]:
        """A function that finds the words with these terms, in any language of the index, in a text.

        It returns start, end and term of each, in order; a whole name comes before its parts.
        """
        searched = frozenset(terms)
        matchers = [self.words_in(language).matcher(searched) for language in self.languages]
        if len(matchers) == 1:
            return matchers[0]

        def matches(text: str) -> list[Match]:
            spans = {(start, end): term for find in reversed(matchers) for start, end, term in find(text)}
            places = sorted(spans, key=lambda place: (place[0], -place[1]))
            return [(*place, spans[place]) for place in places]

        return matches

    @property
    def channels(self) -> tuple[str, ...]:
        """All channels: those of the text, then those of the formulas."""
        return (*self.config.text, *self.config.formulas)

    def content_terms(
        self, content: Content, channels: Iterable[str] | None = None, language: str | None = None
    ) -> dict[str, list[str]]:
        """The terms of a text with formulas by text channel (all by default), with repetition, in order.

        With a ``language`` they are those of a document. Without one they are those of a question: each term as often
        as it occurs in any language of the index.

        :raises MissingExtra: a channel of byte-pair encoding needs the library ``tokenizers``.
        """
        names = self.config.text if channels is None else tuple(channels)
        content = content.with_terms_as_text()
        if language is not None:
            tools = self._in_language(language)
            return {name: indexed_forms(self._text_channel(name).terms(content, tools)) for name in names}
        counts = self._language_counts
        spoken = detect_question(content.text.replace(PLACEHOLDER, " "), counts) if len(counts) > 1 else None
        least = RARE_LANGUAGE * sum(counts.values())
        all_tools = [
            self._in_language(language, spoken) for language, count in counts.items()
            if count >= least or language == spoken
        ]
        return {name: indexed_forms(self._question_terms(name, content, all_tools)) for name in names}

    def _question_terms(self, name: str, content: Content, all_tools: Sequence[TextTools]) -> list[str]:
        channel = self._text_channel(name)
        terms = channel.terms(content, all_tools[0])
        if not channel.depends_on_language:
            return terms
        counts = Counter(terms)
        for tools in all_tools[1:]:
            own = Counter(channel.terms(content, tools))
            terms += (own - counts).elements()
            counts |= own
        return terms

    def channel(self, name: str) -> Channel:
        """The channel of a name, made with the tokenizers of the configuration.

        :raises ConfigError: there is no such channel.
        """
        channel = self._channels.get(name)
        if channel is None:
            channel = self._channels[name] = parse_channel(name, self.config.tokenizers)
        return channel

    def _text_channel(self, name: str) -> TextChannel:
        channel = self.channel(name)
        if not isinstance(channel, TextChannel):
            raise UnknownChannel(f"the index has no text channel {name!r}")
        return channel

    def formula_symbols(self, formula: Formula) -> list[str]:
        """The symbols of a formula, as in the channel ``symbols``."""
        return self.form(SYMBOL_FORM, formula)

    def formula_words(self, formula: Formula) -> list[str]:
        """What a text may write of a formula as words (:func:`~porism.analysis.symbols.formula_words`)."""
        return self.form(WORD_FORM, formula)

    def formula_terms(self, formula: Formula, channels: Iterable[str] | None = None) -> AnalyzedFormula:
        """The key and terms of a formula in ``channels`` (all by default); the terms are cached, and must not be
        changed."""
        layout, operators = read_formula(formula.source, formula.notation)
        terms: dict[str, list[str]] = {}
        for name in self.config.formulas if channels is None else channels:
            key = (name, formula.notation, formula.source)
            own = self._asked.get(key)
            if own is None:
                if len(self._asked) >= _REMEMBERED_TERMS:
                    self._asked.clear()
                own = self._asked[key] = indexed_forms(self.extract(name, layout, operators))
            terms[name] = own
        return AnalyzedFormula(layout_key(layout), terms)

    def extract(self, channel: str, layout: LayoutTree, operators: OperatorTree) -> list[str]:
        """The full terms of a formula in any formula channel, those of tokenizers included.

        :raises ConfigError: there is no such channel.
        """
        formula_channel = self.channel(channel)
        if not isinstance(formula_channel, FormulaChannel):
            raise UnknownChannel(f"the index has no formula channel {channel!r}")
        return formula_channel.terms(layout, operators)

    @cached_property
    def forms(self) -> tuple[FormulaForm, ...]:
        """The forms of formulas that the text channels of the configuration use."""
        return tuple(dict.fromkeys(form for name in self.config.text for form in self._text_channel(name).forms))

    def remember(self, form: FormulaForm, formula: Formula, terms: list[str]) -> None:
        """Caches a form of a formula for the text around it."""
        self._in_place[form.name, formula.notation, formula.source] = terms

    def forget(self) -> None:
        """Clears the cached forms."""
        self._in_place.clear()

    def form(self, form: FormulaForm, formula: Formula) -> list[str]:
        """A form of a formula, cached."""
        terms = self._in_place.get((form.name, formula.notation, formula.source))
        if terms is None:
            if len(self._in_place) >= _REMEMBERED_FORMULAS:
                self.forget()
            terms = form.read(*read_formula(formula.source, formula.notation))
            self.remember(form, formula, terms)
        return terms

    def analyze(self, documents: Sequence[Document]) -> tuple[AnalyzedBatch, list[Problem]]:
        """Analyses documents as a batch; problems are parts that were skipped or not understood."""
        with without_collector():  # trees have no cycles
            return _BatchBuilder(self).build(documents)


class _BatchBuilder:
    def __init__(self, analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self.analyzer.forget()
        self.forms = analyzer.forms
        self.text_columns = {name: TermColumns() for name in analyzer.config.text}
        self.formula_columns = {name: TermColumns() for name in analyzer.config.formulas}
        self.row_of_source: dict[tuple[str, str], int] = {}
        self.row_of_key: dict[str, int] = {}
        self.sources: list[str] = []
        self.trees: list[bytes] = []
        self.problems: list[Problem] = []

    def build(self, documents: Sequence[Document]) -> tuple[AnalyzedBatch, list[Problem]]:
        fields = tuple(dict.fromkeys(name for document in documents for name in document.fields))
        number_of = {name: number for number, name in enumerate(fields)}
        occurrences: list[tuple[int, int, int, int]] = []
        ids: list[str] = []
        visual_ids: list[str] = []
        choice = self.analyzer.choice
        languages = languages_of(documents, choice, self.analyzer.languages[0])
        documents = [
            labelled(_recognised(document), language, choice)
            for document, language in zip(documents, languages, strict=True)
        ]
        for position, (document, language) in enumerate(zip(documents, languages, strict=True)):
            in_order = sorted((number_of[name], content) for name, content in document.fields.items())
            for number, content in in_order:
                for nth, formula in enumerate(content.formulas):
                    row = self._formula_row(formula, document.id)
                    if row is not None:
                        occurrences.append((position, number, row, nth))
                        ids.append(clean_text(formula.id) if formula.id else "")
                        visual_ids.append(clean_text(formula.visual_id) if formula.visual_id else "")
                for name, terms in self.analyzer.content_terms(content, language=language).items():
                    self.text_columns[name].add(position * len(fields) + number, terms)
        columns = np.asarray(occurrences, np.int64).reshape(-1, 4)
        batch = AnalyzedBatch(
            ids=[clean_text(document.id) for document in documents],
            stored=[dump_document(document) for document in documents],
            metadata=[_clean_metadata(document) for document in documents],
            fields=fields,
            text={
                name: column.matrix(len(documents) * len(fields)) for name, column in self.text_columns.items()
            },
            formula_keys=list(self.row_of_key),
            formula_sources=self.sources,
            formula_trees=self.trees,
            formulas={name: column.matrix(len(self.sources)) for name, column in self.formula_columns.items()},
            occurrence_doc=_column(columns, 0, np.int32),
            occurrence_field=_column(columns, 1, np.uint16),
            occurrence_formula=_column(columns, 2, np.int32),
            occurrence_number=_column(columns, 3, np.int32),
            occurrence_id=ids,
            occurrence_visual_id=visual_ids,
        )
        return batch, self.problems

    def _formula_row(self, formula: Formula, doc_id: str) -> int | None:
        written = (formula.notation, formula.source)
        row = self.row_of_source.get(written)
        if row is None:
            row = self._new_formula(formula, doc_id)
            self.row_of_source[written] = row
        return row if row >= 0 else None

    def _new_formula(self, formula: Formula, doc_id: str) -> int:
        try:
            layout = parse(Formula(clean_text(formula.source), formula.notation))
            key = clean_text(layout_key(layout))
            row = self.row_of_key.get(key)
            if row is not None and not self.forms:
                return row
            operators = operator_tree(layout)
            for form in self.forms:
                self.analyzer.remember(form, formula, form.read(layout, operators))
            if row is not None:
                return row
            terms = {name: self.analyzer.extract(name, layout, operators) for name in self.formula_columns}
            tree = pack_tree(operators)
        except PorismError:  # something that all formulas need is missing
            raise
        except Exception as error:  # a formula must never stop the indexing of a million documents
            for form in self.forms:
                self.analyzer.remember(form, formula, [])
            reason = f"formula skipped, {type(error).__name__}: {error}: {formula.source[:80]!r}"
            self.problems.append(Problem(doc_id, reason))
            return -1
        if layout.problems:
            first, *others = layout.problems
            reason = f"formula {formula.source[:60]!r}, character {first.position}: {first.what}"
            more = f" (and {pluralise(len(others), 'more problem')})" if others else ""
            self.problems.append(Problem(doc_id, reason + more))
        row = len(self.sources)
        self.row_of_key[key] = row
        # an index does not say in which notation a source is: LaTeX, or an element of MathML
        self.sources.append(clean_text(to_latex(layout) if formula.is_plain else formula.source))
        self.trees.append(tree)
        for name, column in self.formula_columns.items():
            column.add(row, terms[name])
        return row


def _recognised(document: Document) -> Document:
    """The document with its formulas recognised, if none is marked."""
    if any(content.formulas for content in document.fields.values()):
        return document
    changed = {
        name: found for name, content in document.fields.items() if (found := recognise(content)) is not content
    }
    return replace(document, fields={**document.fields, **changed}) if changed else document


def _column(columns: NDArray[np.int64], number: int, dtype: Any) -> NDArray[Any]:
    return np.ascontiguousarray(columns[:, number]).astype(dtype)


def _clean_metadata(document: Document) -> dict[str, str | tuple[str, ...]]:
    return {
        clean_text(key): clean_text(value) if isinstance(value, str) else tuple(map(clean_text, value))
        for key, value in document.metadata.items()
    }
