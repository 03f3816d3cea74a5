"""The values of the API about runs: all of them, one topic by topic, and its ranking for a topic."""

from __future__ import annotations

from pydantic import Field

from porism.serve.web.schema import Model


class RunTest(Model):
    """One measure of a run beside that of the baseline: run − baseline, its interval, p-values, topics."""

    difference: float
    low: float
    high: float
    p_value: float
    adjusted: float = Field(description="Corrected by Holm–Bonferroni for the number of runs.")
    wins: int
    ties: int
    losses: int


class RunScores(Model):
    """A run by its measures; null where a measure is undefined."""

    name: str
    topics: int
    values: dict[str, float | None]
    tests: dict[str, RunTest] = Field(default={}, description="By measure; none for the baseline.")


class RunList(Model):
    """All runs of a server."""

    measures: tuple[str, ...]
    baseline: str | None = None
    judged_topics: int
    runs: tuple[RunScores, ...] = ()
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = Field((), description="Files that are not a run, and runs without a judged topic.")


class TopicScores(Model):
    """A topic of a run."""

    topic: str
    text: str | None = None
    answered: bool = Field(description="Whether the run has results for it; without any it counts as 0.")
    values: dict[str, float | None]
    differences: dict[str, float | None] = Field(default={})


class RunTopics(Model):
    """A run topic by topic; ``differences`` and ``tests`` are from the run ``against``."""

    name: str
    against: str | None = None
    measures: tuple[str, ...]
    values: dict[str, float | None]
    tests: dict[str, RunTest] = Field(default={})
    topics: tuple[TopicScores, ...]
    notes: tuple[str, ...] = ()


class RankedDocument(Model):
    """A result of a run: ``gain`` is null where it is not judged, ``rank_there`` where the other run lacks it."""

    rank: int
    id: str
    score: float
    gain: int | None
    grade: str
    rank_there: int | None = None


class MissedDocument(Model):
    """A relevant document that a run does not have."""

    id: str
    gain: int
    grade: str


class RunRanking(Model):
    """A page of what a run has for a topic."""

    name: str
    topic: str
    text: str | None = None
    against: str | None = None
    values: dict[str, float | None]
    total: int
    judged: int
    page: int
    per_page: int
    hits: tuple[RankedDocument, ...]
    missed: tuple[MissedDocument, ...]
