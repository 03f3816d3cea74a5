"""The languages of the documents of an index, from their metadata, and the analyzer of questions in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.analysis.document_languages import DETECTED, LANGUAGE, LANGUAGE_ORIGIN, STATED
from porism.analysis.languages import AUTO, LANGUAGES, read_choice
from porism.index.segment import Segment, filter_term
from porism.index.snapshot import Snapshot

LanguageOrigins = Mapping[str, Mapping[str, int]]
"""Language → ``stated`` or ``detected``, or ``""`` where an index of an older version does not say it → documents.

Languages with more documents come first.
"""


def language_origins(snapshot: Snapshot) -> dict[str, dict[str, int]]:
    """The languages of the live documents, as :data:`LanguageOrigins`.

    The language that all documents were said to be in is stated, the fallback of documents that say none detected.
    """
    choice = read_choice(snapshot.config.get("language", AUTO))
    counts: Counter[tuple[str, str]] = Counter()
    for segment in snapshot.segments:
        labelled = _labelled(segment) if choice.detected else Counter()
        counts += labelled
        counts[choice.fallback, DETECTED if choice.detected else STATED] += segment.live_count - labelled.total()
    origins: dict[str, dict[str, int]] = {}
    for (language, origin), count in counts.most_common():
        if count > 0:
            origins.setdefault(language, {})[origin] = count
    return dict(sorted(origins.items(), key=lambda item: -sum(item[1].values())))


def language_counts(snapshot: Snapshot) -> dict[str, int]:
    """Language → number of live documents, most frequent first."""
    return {language: sum(counts.values()) for language, counts in language_origins(snapshot).items()}


def _labelled(segment: Segment) -> Counter[tuple[str, str]]:
    """Language and origin → live documents with the language in their metadata."""
    counts: Counter[tuple[str, str]] = Counter()
    numbers = segment.filters.lookup([filter_term(LANGUAGE, name) for name in LANGUAGES]).tolist()
    for name in (name for name, number in zip(LANGUAGES, numbers, strict=True) if number >= 0):
        documents = segment.filter(LANGUAGE, name) & segment.live
        for origin in (STATED, DETECTED):
            counts[name, origin] = int((documents & segment.filter(LANGUAGE_ORIGIN, origin)).sum())
        counts[name, ""] = int(documents.sum()) - counts[name, STATED] - counts[name, DETECTED]
    return counts


def snapshot_analyzer(snapshot: Snapshot) -> Analyzer:
    """The analyzer of an index, for questions in the languages that its documents are in."""
    config = AnalysisConfig.from_dict(snapshot.config, snapshot.path)
    return Analyzer(config, lambda: language_counts(snapshot))
