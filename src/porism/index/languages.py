"""The languages of the documents of an index, from their metadata."""

from __future__ import annotations

from collections import Counter

from porism.analysis.document_languages import LANGUAGE
from porism.analysis.languages import AUTO, LANGUAGES, read_choice
from porism.index.segment import filter_term
from porism.index.snapshot import Snapshot


def language_counts(snapshot: Snapshot) -> dict[str, int]:
    """Language → number of live documents, most frequent first."""
    choice = read_choice(snapshot.config.get("language", AUTO))
    counts: Counter[str] = Counter()
    for segment in snapshot.segments:
        labelled = 0
        if choice.detected:
            numbers = segment.filters.lookup([filter_term(LANGUAGE, name) for name in LANGUAGES]).tolist()
            for name, number in zip(LANGUAGES, numbers, strict=True):
                if number >= 0:
                    count = int((segment.filter(LANGUAGE, name) & segment.live).sum())
                    counts[name] += count
                    labelled += count
        counts[choice.fallback] += segment.live_count - labelled
    return {language: count for language, count in counts.most_common() if count > 0}
