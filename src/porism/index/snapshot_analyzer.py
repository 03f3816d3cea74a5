"""What reads questions as the documents of an index were read."""

from __future__ import annotations

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.index.languages import language_counts
from porism.index.snapshot import Snapshot


def snapshot_analyzer(snapshot: Snapshot) -> Analyzer:
    """The analyzer of an index, for questions in the languages that its documents are in."""
    config = AnalysisConfig.from_dict(snapshot.config, snapshot.path)
    return Analyzer(config, lambda: language_counts(snapshot))
