"""Answers to single topics, kept as they are found, so that a long run goes on where it was interrupted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import orjson
import xxhash

from porism.errors import OnProblem, PorismError, Problem, StorageError
from porism.lab.pairwise import PairwiseRun
from porism.lab.pairwise.files import read_archive, write_archive
from porism.lab.pipeline.stages import PipelineStage
from porism.lab.recipes.cache import writing
from porism.lab.recipes.digests import query_digest
from porism.runs.run import Ranked
from porism.types import Query

Answer = tuple[Ranked, float]
"""(document id, score) best first, and the seconds that the query took."""


class Compares(Protocol):
    """A reranker that compares documents with each other, and keeps the scores of its last re-ranking."""

    last_pairs: PairwiseRun | None


class AnswerStore:
    """A file with a line of JSON for each topic, which only grows; topics are known by the digest of their content.

    Each line ends with its own digest. One that was cut off or changed is reported to ``on_problem``, and its topic is
    answered again.

    :raises StorageError: the file exists and cannot be read.
    """

    def __init__(self, path: Path, on_problem: OnProblem | None = None) -> None:
        self.path = path
        self._answers: dict[str, Answer] = {}
        self._unended = False
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise StorageError(f"cannot be read ({error.strerror or error})", where=str(path)) from error
        self._unended = bool(content) and not content.endswith(b"\n")
        for number, line in enumerate(content.split(b"\n"), 1):
            if not line:
                continue
            if (read := _read(line)) is not None:
                self._answers[read[0]] = read[1]
            elif on_problem:
                on_problem(Problem(f"{path.name}:{number}", "the answer of a topic is damaged; it is found again"))

    def __len__(self) -> int:
        return len(self._answers)

    def find(self, topic: str) -> Answer | None:
        """The answer to the topic of this digest."""
        return self._answers.get(topic)

    def add(self, topic: str, ranked: Ranked, seconds: float) -> None:
        """Keeps an answer; when this returns, the system has it."""
        body = orjson.dumps([topic, [[doc, score] for doc, score in ranked], seconds])
        line = body + b"\t" + xxhash.xxh3_64_hexdigest(body).encode() + b"\n"
        with writing(self.path), open(self.path, "ab") as file:
            file.write(b"\n" + line if self._unended else line)
        self._unended = False
        self._answers[topic] = (list(ranked), seconds)


class ComparisonStore(AnswerStore):
    """Answers beside the comparisons that they were made of: an archive of pairwise scores for each topic.

    A topic whose archive is missing or damaged is answered again.
    """

    def __init__(self, path: Path, reranker: Compares, on_problem: OnProblem | None = None) -> None:
        super().__init__(path, on_problem)
        self._reranker = reranker

    def find(self, topic: str) -> Answer | None:
        answer = super().find(topic)
        return None if answer is None or read_comparisons(self.path, topic) is None else answer

    def add(self, topic: str, ranked: Ranked, seconds: float) -> None:
        assert self._reranker.last_pairs is not None, "a reranker that sorts has no comparisons to keep"
        file = _comparisons(self.path, topic)
        with writing(file):
            file.parent.mkdir(exist_ok=True)
        write_archive(file, self._reranker.last_pairs)
        super().add(topic, ranked, seconds)


def read_comparisons(path: Path, topic: str) -> PairwiseRun | None:
    """The comparisons of a topic that a :class:`ComparisonStore` of this file keeps; None where there are none that can
    be read."""
    try:
        return read_archive(_comparisons(path, topic))
    except PorismError:
        return None


def _comparisons(path: Path, topic: str) -> Path:
    return path.with_suffix("") / f"{topic}.npz"


def answer_each(
    stage_of: Callable[[Query], PipelineStage], queries: Sequence[Query], k: int, store: AnswerStore | None = None,
    on_count: Callable[[int, int | None], None] = lambda done, total: None, repeats: int = 1,
) -> tuple[dict[str, Ranked], dict[str, float]]:
    """The best ``k`` results of each query, and the seconds each took (0 where they are not known).

    Queries are answered one by one by the stage of a pipeline, those excepted that the store knows the answers of.

    :param stage_of: the stage for a query.
    :param repeats: how often each is answered; the seconds are the mean.
    """
    results: dict[str, Ranked] = {}
    seconds: dict[str, float] = {}
    for number, query in enumerate(queries):
        content = query_digest(query)
        answer = store.find(content) if store is not None else None
        if answer is None:
            runs = [stage_of(query).search([query], k) for _ in range(repeats)]
            known = [run.provenance.seconds.get(query.id, 0.0) for run in runs if run.provenance is not None]
            answer = (runs[-1][query.id], sum(known) / repeats)
            if store is not None:
                store.add(content, *answer)
        results[query.id], seconds[query.id] = answer
        on_count(number + 1, len(queries))
    return results, seconds


def _read(line: bytes) -> tuple[str, Answer] | None:
    body, _, stated = line.rpartition(b"\t")
    if xxhash.xxh3_64_hexdigest(body).encode() != stated:
        return None
    try:
        topic, ranked, seconds = orjson.loads(body)
        answer = [(str(doc), float(score)) for doc, score in ranked], float(seconds)
    except (ValueError, TypeError):
        return None
    return (str(topic), answer) if all(math.isfinite(score) for _, score in answer[0]) else None
