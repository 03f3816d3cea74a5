"""An index as its user sees it: open, ask, read the answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import WORDS
from porism.errors import ConfigError, OnProblem, QueryError
from porism.explanation import Explanation
from porism.index import Filters, Snapshot
from porism.index.joint import Paths
from porism.retrieve import DEFAULT_MODEL, DocumentRetriever, RetrieverSettings
from porism.retrieve.base import HasQueryWarnings, Wrapper
from porism.retrieve.documents.more_like_this import MoreLikeThis, MoreLikeThisSettings
from porism.retrieve.documents.named_models import channel_model
from porism.retrieve.feedback.learning import Judged
from porism.runs.run import Run
from porism.search.answers import FormulaHit, Hit, make_hits
from porism.search.conditions import documents_with
from porism.search.counterparts import counterpart_query
from porism.search.declarations import Declarations, UsedBy, Uses
from porism.search.formula_queries import make_formula_query
from porism.search.grouping import DocumentGroups
from porism.search.locations import Location, file_has_changed, indexed_file
from porism.search.marked_text import Snippet
from porism.search.questions import Question, make_query, read_question
from porism.search.searcher import IndexSearcher
from porism.search.snippets import FormulaStyle, SnippetMaker
from porism.search.suggestions import Correction, SpellingSuggester, correction_of, filter_hints
from porism.system.concurrency.caching import cached_property
from porism.types import DECLARES, Content, Document, Formula, Query

if TYPE_CHECKING:
    from porism.retrieve.formulas.matches import FormulaMatch
    from porism.search.formulas import Named
    from porism.search.patterns import PatternSearch


def judgments(relevant: Iterable[str], not_relevant: Iterable[str]) -> Judged:
    """Judged documents from their ids.

    :raises QueryError: a single string was given in place of several ids, or a document is in both.
    """
    for ids in (relevant, not_relevant):
        if isinstance(ids, str):
            raise QueryError(f"judged documents are given as {ids!r}", hint="Give a list of ids, for one document too.")
    return Judged(tuple(relevant), tuple(not_relevant))


class Index(IndexSearcher):
    """A consistent view of an index on disk, ready to search; later commits do not change it.

    ::

        with porism.open_index("notes.index") as index:
            for hit in index.search(r"derivative of $x^n$"):
                print(hit.score, hit.title, hit.snippet)
    """

    _last_correction: tuple[Question, Correction | None] | None = None
    _last_allowed: tuple[Any, list[NDArray[np.bool_]]] | None = None

    @cached_property
    def term_retriever(self) -> DocumentRetriever:
        """What weighs the terms of questions for snippets, hints, phrases and documents alike: what searches the
        index, where that is a weighted sum of channels, else the default model, or one of all channels of the index
        where it has none of that."""
        if (own := self._by_terms) is not None:
            return own
        channels = self.analyzer.channels
        known = any(name in channels for name in DEFAULT_MODEL.channels)
        model = DEFAULT_MODEL if known else channel_model(*channels)
        return DocumentRetriever(self.snapshot, self.analyzer, model)

    @property
    def _by_terms(self) -> DocumentRetriever | None:
        """What searches the index, where that is a weighted sum of channels, here or in an engine."""
        inner = self.retriever.inner if isinstance(self.retriever, Wrapper) else self.retriever
        return inner if isinstance(inner, DocumentRetriever) else None

    def _learning(self) -> DocumentRetriever:
        """What searches the index, where it learns from judged documents."""
        if (own := self._by_terms) is not None:
            return own
        raise ConfigError(
            "the model does not learn from judged documents", hint="Choose one of terms, such as default."
        )

    def location(self, doc_id: str, field: str | None = None, formula: int = 0) -> Location:
        """Where a document is, or of one of its fields the formula of this number.

        :raises QueryError: the index has no such document.
        """
        return self.location_in(self.document(doc_id), field, formula)

    def location_in(self, document: Document, field: str | None = None, formula: int = 0) -> Location:
        """The same for a document that was read already."""
        location = Location.of(document.metadata, lambda: self.snapshot.sources_of(document.id), document.id)
        content = document.fields.get(field) if field is not None else None
        if content is None or formula >= len(content.formulas):
            return location
        return location.at(content, content.character_of(formula))

    def has_changed(self, location: Location) -> bool:
        """Whether the file of a location is another than the one that was indexed; False where this is not known."""
        return any(file_has_changed(location, sources) for sources in self.snapshot.source_tables)

    def indexed_file(self, doc_id: str) -> tuple[Path, str]:
        """The file of a document and the xxh3-128 of its content, if it is as it was when it was indexed.

        :raises QueryError: the index has no such document.
        :raises SourceError: it is from no file, or the file has changed or is no longer there.
        """
        return indexed_file(self.location(doc_id), self.snapshot.sources_of(doc_id))

    def search(
        self, question: str | Content | Query | Question, k: int = 10, *, filters: Filters | None = None,
        formulas: FormulaStyle = "unicode", relevant: Iterable[str] = (), not_relevant: Iterable[str] = (),
    ) -> list[Hit]:
        """The best ``k`` documents, best first: of those that share a word or a formula term with the question, or
        with what it learns from the documents found first.

        ``filters`` maps a metadata key to the value, or the values any of which, a document must have. ``formulas``
        says how titles and snippets show formulas. A string may have phrases between quotes and ``field:word``, see
        :meth:`question`.

        From documents that are known to be ``relevant``, or not, the question learns in place of those found first
        (their ids, in any order); they stay among the results.

        :raises QueryError: the question is empty, ``k`` is below 1, a filter names a key that no document has, or the
            index lacks a document that is judged.
        :raises ConfigError: documents are judged, and the model does not learn from them.
        """
        parsed = self.question(question)
        run = self.ranked(parsed, k, filters=filters, relevant=relevant, not_relevant=not_relevant)
        return self.hits(run[parsed.query.id], parsed, formulas)

    def ranked(
        self, question: Question, k: int = 10, *, filters: Filters | None = None, relevant: Iterable[str] = (),
        not_relevant: Iterable[str] = (),
    ) -> Run:
        """What :meth:`search` finds, as a run of the one query; of a reranker it is the first stage. Errors are the
        same."""
        query, allowed, judged = question.query, self.allowed(question, filters), judgments(relevant, not_relevant)
        if judged:
            return self._learning().search([query], k, allowed=allowed, judged={query.id: judged})
        return self.retriever.search([query], k, allowed=allowed)

    def hits(
        self, scored: Sequence[tuple[str, float]], question: Question, formulas: FormulaStyle = "unicode"
    ) -> list[Hit]:
        """What is shown of documents, found for a question with these scores, in this order.

        :raises QueryError: the index lacks one of them.
        """
        return self.hits_by(scored, self.term_retriever.term_weights(question.query), question.query, formulas)

    def marked(self, question: str | Content | Query | Question, doc_id: str) -> dict[str, list[Snippet]]:
        """All fields of a document, paragraph by paragraph, with what matches the question marked.

        :raises QueryError: the index has no such document, or the question is empty.
        """
        query, document = self.question(question).query, self.document(doc_id).with_terms_as_text()
        maker = self._snippet_maker(query, self.term_retriever.term_weights(query))
        return {name: maker.marked(document, name) for name, content in document.fields.items() if content}

    def question(self, question: str | Content | Query | Question, *, guess_formulas: bool = False) -> Question:
        """A question as :meth:`search` reads it, with notes on what in it may have been meant otherwise.

        In a string, ``"words between quotes"`` must be in a document as they are, and ``title:word`` must be in that
        field. ``type:theorem``, with a key of the metadata, is a filter. Content and queries have no such signs.

        :param guess_formulas: whether formulas without dollars are recognised in a string.
        :raises QueryError: there is nothing in it, it is too long, or it names a field that the index does not have.
        """
        if isinstance(question, Question):
            return question
        if not isinstance(question, str):
            return Question(make_query(question))
        fields = {name for segment in self.snapshot.segments for name in segment.fields}
        return read_question(question, fields, self._metadata_keys, guess_formulas)

    def hints(self, question: str | Content | Query | Question, filters: Filters | None = None) -> list[str]:
        """What to tell the user, a sentence each.

        Hints say how formulas without dollars were read, and where a dollar has no partner. They offer words like those
        that the index does not have, and values like those of a filter that no document has. They give what the model
        says of the question, such as how much of it was not read.
        """
        parsed = self.question(question)
        hints = [*parsed.notes, *filter_hints(self.snapshot, _all_filters(parsed, filters))]
        if (correction := self.correction(parsed)) is not None:
            hints.append(correction.hint)
        if isinstance(self.retriever, HasQueryWarnings):
            hints += self.retriever.notes(parsed.query)
        return hints

    def correction(self, question: str | Content | Query | Question) -> Correction | None:
        """What a question may have been meant as, where it has words that no document has, or hardly one."""
        parsed = self.question(question)
        last = self._last_correction
        if last is None or last[0] != parsed:
            suggestions = self._spelling.suggestions(parsed.query) if self._spelling is not None else []
            text = parsed.text or parsed.query.content.to_latex()
            last = self._last_correction = (parsed, correction_of(text, suggestions) if suggestions else None)
        return last[1]

    @cached_property
    def _spelling(self) -> SpellingSuggester | None:
        lexical = self.term_retriever.lexical
        if WORDS not in lexical.channels:
            return None
        return SpellingSuggester(self.snapshot, self.analyzer, lexical.fields_of(WORDS))

    def _metadata_keys(self) -> set[str]:
        return {key for segment in self.snapshot.segments for key in segment.metadata_counts()}

    def allowed(self, parsed: Question, filters: Filters | None = None) -> list[NDArray[np.bool_]] | None:
        """The documents that have what filters and conditions demand, None where there are none; the last are kept."""
        wanted = _all_filters(parsed, filters)
        if not wanted and not parsed.conditions:
            return None
        demanded = (tuple(wanted.items()), parsed.conditions)
        last = self._last_allowed
        if last is None or last[0] != demanded:
            allowed: list[NDArray[np.bool_]] | None = None
            if wanted:
                allowed = self.snapshot.filter(wanted)
            if parsed.conditions:
                lexical = self.term_retriever.lexical
                weights = lexical.fields_of(WORDS) if WORDS in lexical.channels else None
                allowed = documents_with(self.snapshot, self.analyzer, parsed.conditions, weights, allowed)
            assert allowed is not None
            last = self._last_allowed = (demanded, allowed)
        return last[1]

    def more_like(
        self, doc_id: str, k: int = 10, *, filters: Filters | None = None, formulas: FormulaStyle = "unicode",
        likeness: MoreLikeThisSettings | None = None,
    ) -> list[Hit]:
        """The ``k`` documents that are most like one of the index, best first, without itself.

        They share its most telling words and formula terms, see :mod:`porism.retrieve.documents.more_like_this`;
        ``likeness`` says how many, and of which fields. A model of another kind is searched with the document as a
        query, of which ``likeness`` chooses the fields.

        :raises QueryError: the index has no such document, it has no words or formulas, ``k`` is below 1, or a filter
            names a key that no document has.
        """
        alike = MoreLikeThis(self.term_retriever, self.analyzer, likeness)
        query = alike.query(self.document(doc_id))
        allowed = self.snapshot.filter(filters or {}, without=doc_id)
        if self._by_terms is None:
            scored = self.retriever.search([query], k, allowed=allowed)[query.id]
            return self.hits_by(scored, self.term_retriever.term_weights(query), query, formulas)
        units = alike.search_units(query, k, allowed=allowed)
        lexical = self.term_retriever.lexical
        scored = list(zip(lexical.ids.take(units.segments, units.units), units.scores.tolist(), strict=True))
        return self.hits_by(scored, lexical.term_weights(alike.terms(query)), query, formulas)

    def counterparts(self, doc_id: str, k: int = 5, *, formulas: FormulaStyle = "unicode") -> list[Hit]:
        """The ``k`` documents of the other kind that say most nearly the same: declarations of formal libraries for a
        document in words, and the other way round. They are as good as a search for its title and text.

        :raises QueryError: the index has no such document, or ``k`` is below 1.
        """
        document = self.document(doc_id)
        query = counterpart_query(document)
        formal = DECLARES in document.metadata
        allowed = [mask != formal for mask in self.declarations.declaring()]
        if not query.content or not any(mask.any() for mask in allowed):
            return []
        scored = self.retriever.search([query], k, allowed=allowed)[query.id]
        return self.hits_by(scored, self.term_retriever.term_weights(query), query, formulas)

    @cached_property
    def declarations(self) -> Declarations:
        """The declarations of formal libraries in the index, by name."""
        return Declarations(self.snapshot)

    def uses(self, doc_id: str) -> Uses:
        """The documents of the declarations that one names, in its statement and in its proof or value.

        :raises QueryError: the index has no such document.
        """
        return self.declarations.uses(self.document(doc_id).metadata)

    def used_by(self, doc_id: str) -> UsedBy:
        """The documents of the declarations that name one.

        :raises QueryError: the index has no such document.
        """
        return self.declarations.used_by(self.document(doc_id).metadata)

    def explain_likeness(
        self, doc_id: str, found: str, *, k: int = 10, filters: Filters | None = None,
        likeness: MoreLikeThisSettings | None = None,
    ) -> Explanation:
        """Why the document ``found`` has its score among those like ``doc_id``: a tree that adds up to it.

        :raises QueryError: as :meth:`more_like`; or the index has no document ``found``.
        """
        alike = MoreLikeThis(self.term_retriever, self.analyzer, likeness)
        query = alike.query(self.document(doc_id))
        allowed = self.snapshot.filter(filters or {}, without=doc_id)
        explainer = self.retriever if self._by_terms is None else alike
        return explainer.explain(query, found, k=k, allowed=allowed)

    def explain(
        self, question: str | Content | Query | Question, doc_id: str, *, k: int = 10, filters: Filters | None = None,
        relevant: Iterable[str] = (), not_relevant: Iterable[str] = (),
    ) -> Explanation:
        """Why a document has its score for the question: a tree of contributions that adds up to it.

        ``filters`` are those of the search, from whose documents alone the question learns; so are the documents that
        are judged, and ``k``, which matters above 1,000 only.

        :raises QueryError: the index has no such document, the question is empty, or a filter names an unknown key.
        """
        parsed = self.question(question)
        allowed, judged = self.allowed(parsed, filters), judgments(relevant, not_relevant)
        if judged:
            return self._learning().explain(parsed.query, doc_id, k=k, judged=judged, allowed=allowed)
        return self.retriever.explain(parsed.query, doc_id, k=k, allowed=allowed)

    def matches(self, question: str | Content | Query | Question, doc_id: str) -> list[FormulaMatch]:
        """How the formulas of a document answer those of the question: for each of these the most similar one.

        Formulas of a single symbol, and those that the document has nothing like, are left out.

        :raises QueryError: the index has no such document, or the question is empty.
        """
        return self.term_retriever.matches(self.question(question).query, doc_id)

    @cached_property
    def groups(self) -> DocumentGroups:
        """The question or the section that documents belong to: ``index.groups(doc_ids)``."""
        return DocumentGroups(self.snapshot)

    @cached_property
    def patterns(self) -> PatternSearch:
        """The search by pattern: ``index.patterns.search("?a ⊔ (?b ⊓ ?c) = _")``."""
        from porism.search.patterns import PatternSearch

        return PatternSearch(self.snapshot)

    def search_formulas(
        self, formula: str | Formula | Content | Query, k: int = 10, *, filters: Filters | None = None,
        explain: bool = False, on_problem: OnProblem | None = None,
    ) -> list[FormulaHit]:
        """The best ``k`` formulas for a formula, distinct by their normalised form, best first.

        The formula is LaTeX, with or without dollars, or a ``<math>`` element. Several formulas ask for any of them: a
        result has its best score. Words beside them are a context, which raises formulas of documents that fit it.

        :param filters: only formulas of documents with this metadata, as in :meth:`search`.
        :param explain: whether hits say how they match.
        :param on_problem: receives the unparsed parts of the query.
        :raises QueryError: there is no formula in the query, ``k`` is below 1, or a filter names an unknown key.
        """
        query = make_formula_query(formula, on_problem)
        allowed = self.snapshot.filter(filters) if filters else None
        return self.formulas.search(query, k, allowed=allowed, explain=explain)

    def explain_formula(
        self, formula: str | Formula | Content | Query, found: str, named: Named = "auto"
    ) -> FormulaMatch:
        """How a formula matches one of the index: its score as a tree of contributions, substitution, equal values.

        ``found`` is the key of a hit, a visual id, or a document's id (then its best formula is explained); the first
        of these that the index has, unless ``named`` says which. The context of a query does not count.

        :raises QueryError: there is no formula in the query, or the index has no formula of this name.
        """
        return self.formulas.explain(make_formula_query(formula), found, named)

    def hits_by(
        self, scored: Sequence[tuple[str, float]], worths: Mapping[str, Mapping[str, float]], query: Query,
        style: FormulaStyle = "unicode",
    ) -> list[Hit]:
        """As :meth:`hits`, where terms of the query are worth so much, by channel and term.

        :raises QueryError: the index lacks one of the documents.
        """
        maker = self._snippet_maker(query, worths)
        return make_hits(scored, self.document, maker, style, self.snapshot.sources_of, self.snapshot.home)

    def _snippet_maker(self, query: Query, worths: Mapping[str, Mapping[str, float]]) -> SnippetMaker:
        return SnippetMaker(
            self.analyzer,
            worths,
            [formula for content in query.fields.values() for formula in content.formulas],
            lambda doc_id: self.term_retriever.matching_formulas(query, doc_id),
        )


def _all_filters(parsed: Question, filters: Filters | None) -> dict[str, tuple[str, ...]]:
    """The filters that are given and those in the question."""
    wanted = {key: (value,) if isinstance(value, str) else tuple(value) for key, value in (filters or {}).items()}
    for key, values in parsed.filters.items():
        wanted[key] = (*wanted.get(key, ()), *values)
    return wanted


def open_index(
    path: Paths | Snapshot, model: RetrieverSettings | str = DEFAULT_MODEL,
    formula_model: RetrieverSettings | str | None = None,
) -> Index:
    """Opens an index for searching; see :class:`Index`.

    Several folders, in a list or by name, are searched as one index with all their documents: scores and ranks are
    those that it would give. Where two have a document of one id, each gets the name of its index before its id.
    """
    return Index(path, model, formula_model)


def filters_from_strings(pairs: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """Filters from ``key=value`` strings; several values of one key mean any of them.

    :raises QueryError: a string has no ``=``.
    """
    filters: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        key, separator, value = pair.partition("=")
        if not separator or not key:
            raise QueryError(f"the filter {pair!r} is not of the form key=value", hint="For example: tags=calculus.")
        filters[key.strip()] = (*filters.get(key.strip(), ()), value.strip())
    return filters
