"""What a question can be completed with: words, tags, formulas, commands and titles of the documents of an index."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, takewhile
from typing import NamedTuple

import numpy as np

from porism.analysis.folding import fold
from porism.analysis.unspaced import UNSPACED
from porism.analysis.words import WORD
from porism.formula import notation_of
from porism.formula.tables.commands import ACCENTS, FONTS, FRACTIONS
from porism.formula.tables.rows import symbol_rows
from porism.index import Snapshot
from porism.index.documents import stored_document
from porism.index.languages import snapshot_analyzer
from porism.search.marked_text import show_content
from porism.types import DECLARES, Document

MAX_DOCUMENTS = 8_000
"""Words and titles are those of at most so many documents, spread evenly over the index."""

MAX_FORMULAS = 40_000
"""Formulas are those that occur in most documents, at most so many."""

MAX_FORMULA_LENGTH = 160
_MIN_WORD_LENGTH = 3
_LOOKED_AT = 4_000
_MAX_TITLE_WORDS = 12
"""A title is found by what begins with one of so many of its words."""

_COMMAND = re.compile(r"\\([A-Za-z]+)")
_WORD_START = re.compile(r"[^\W_]+")


class VocabularyEntry(NamedTuple):
    """Something to complete with: what it is looked up by, its text, in how many documents it is, and whose it is."""

    key: str
    text: str
    documents: int
    id: str = ""


class CompletionTable:
    """Entries that begin with a prefix, those of most documents first."""

    def __init__(self, entries: Sequence[VocabularyEntry]) -> None:
        self._entries = sorted(entries)
        self._keys = [entry.key for entry in self._entries]

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, prefix: str, most: int) -> list[VocabularyEntry]:
        """At most so many entries."""
        start = bisect_left(self._keys, prefix)
        entries = []
        for entry in self._entries[start : start + _LOOKED_AT]:
            if not entry.key.startswith(prefix):
                break
            entries.append(entry)
        return sorted(entries, key=lambda entry: (-entry.documents, len(entry.text), entry.text))[:most]


class CompletionVocabulary:
    """The tables of one commit of an index, read from it once."""

    def __init__(self, snapshot: Snapshot, ended: Callable[[], bool] = lambda: False) -> None:
        """Reads the tables; they stay unfinished where ``ended`` answers, between two documents, that nobody waits."""
        words: Counter[str] = Counter()
        forms: dict[str, Counter[str]] = {}
        titles: list[VocabularyEntry] = []
        for document in takewhile(lambda _: not ended(), _documents(snapshot)):
            own: dict[str, str] = {}
            for content in document.fields.values():
                for word in WORD.findall(content.text[:20_000]):
                    if len(word) >= _MIN_WORD_LENGTH and word.isalpha() and UNSPACED.search(word) is None:
                        own.setdefault(fold(word), word)
            for folded, word in own.items():
                words[folded] += 1
                forms.setdefault(folded, Counter())[word.lower()] += 1
            declared = document.metadata.get(DECLARES, ())
            shown = show_content(document.title, "unicode")
            for title in {shown, *((declared,) if isinstance(declared, str) else declared)} - {""}:
                titles += [
                    VocabularyEntry(fold(title[word.start() :]), title, 1, document.id)
                    for word in islice(_WORD_START.finditer(title), _MAX_TITLE_WORDS)
                ]
        self.documents_of: Counter[str] = words
        analyzer = snapshot_analyzer(snapshot)
        stop = frozenset().union(*(analyzer.words_in(language).dropped for language in analyzer.languages))
        self.words = CompletionTable([
            VocabularyEntry(folded, forms[folded].most_common(1)[0][0], count) for folded, count in words.items()
            if folded not in stop and len(folded) < 40
        ])
        self.titles = CompletionTable(titles)
        self.tags = CompletionTable(list(_tags(snapshot)))
        formulas = [] if ended() else list(_formulas(snapshot))
        self.formulas = CompletionTable(formulas)
        self.commands = CompletionTable(list(_commands(formulas)))


def _commands(formulas: Iterable[VocabularyEntry]) -> Iterator[VocabularyEntry]:
    """The commands of formulas and those that are well known, by name; their text is LaTeX that shows them."""
    documents: Counter[str] = Counter()
    for formula in formulas:
        for name in set(_COMMAND.findall(formula.text)):
            documents[name] += formula.documents
    examples = _command_examples()
    for name in documents.keys() | examples.keys():
        yield VocabularyEntry(name, examples.get(name, ""), documents[name])


def _command_examples() -> dict[str, str]:
    """Command without its backslash → LaTeX that shows what it is for."""
    return {
        **{name: f"\\{name}{{x}}" for name in ("sqrt", *ACCENTS)}, **{name: f"\\{name}{{A}}" for name in FONTS},
        **{name: f"\\{name}{{a}}{{b}}" for name in FRACTIONS},
        **{
            match[1]: command for row in symbol_rows().values() for command in row.commands
            if (match := _COMMAND.fullmatch(command))
        },
    }


def squeezed(latex: str) -> str:
    """LaTeX by which formulas are looked up: without white space."""
    return "".join(latex.split())


def _documents(snapshot: Snapshot) -> Iterator[Document]:
    step = max(1, -(-snapshot.doc_count // MAX_DOCUMENTS))
    for segment in snapshot.segments:
        for doc in np.flatnonzero(segment.live)[::step].tolist():
            yield stored_document(segment, doc)


def _tags(snapshot: Snapshot) -> Iterator[VocabularyEntry]:
    counts: Counter[str] = Counter()
    for segment in snapshot.segments:
        counts.update(segment.metadata_counts().get("tags", {}))
    for tag, count in counts.items():
        yield VocabularyEntry(fold(tag), tag, count)


def _formulas(snapshot: Snapshot) -> Iterator[VocabularyEntry]:
    counts: Counter[str] = Counter()
    for segment in snapshot.segments:
        occurrences = segment.occurrences
        documents = np.bincount(occurrences.formula.all(), minlength=segment.formula_count)
        for formula in np.argsort(-documents, kind="stable")[:MAX_FORMULAS].tolist():
            source = segment.formula_source(formula)
            if 3 <= len(source) <= MAX_FORMULA_LENGTH and notation_of(source) == "latex":
                counts[" ".join(source.split())] += int(documents[formula])
    for latex, count in counts.items():
        yield VocabularyEntry(squeezed(latex), latex, count)
