"""Runs, judgments and topics that the laboratory pages show: files, which are read again when they change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from porism.corpus import read_qrels, read_topics
from porism.errors import ConfigError, PorismError, SourceError
from porism.lab.evaluate import Qrels
from porism.runs.run import Run
from porism.serve.web.judgments import Judgments
from porism.types import Content, Query

MAX_RUNS = 200
"""Of the files of a folder so many are shown."""

_SUFFIXES = frozenset({".run", ".tsv", ".txt", ".trec", ".res", ".gz"})


class Laboratory:
    """The runs of files and folders, the judgments that score them, and the texts of their topics.

    Without a file of judgments or topics those of ``judgments`` are taken, as they are at the time. Files may change
    and folders get new ones meanwhile; what was read is kept until then.
    """

    def __init__(
        self, runs: Sequence[Path], qrels: Path | None = None, topics: Path | None = None,
        judgments: Judgments | None = None,
    ) -> None:
        """Reads judgments and topics once, so that a wrong file is reported before anything is served.

        :raises ConfigError: there are runs and nothing to score them with.
        :raises SourceError: a file is missing.
        :raises FormatError: a file is of another format.
        """
        if runs and qrels is None and judgments is None:
            raise ConfigError(
                "there are runs and no judgments to score them with",
                hint="Name them with --qrels FILE or --judge FOLDER.",
            )
        self._paths, self._qrels, self._topics, self._judgments = tuple(runs), qrels, topics, judgments
        self._lock = Lock()
        self._read: dict[tuple[str, Path], tuple[tuple[int, int], Any]] = {}
        self._judged: tuple[int, Qrels] = (-1, {})
        for path in runs:
            if not path.exists():
                raise SourceError("there is no such file or folder of runs", where=str(path))
        self.qrels()
        self.topics()

    def names(self) -> dict[str, Path]:
        """Name → file of each run: file names without endings, numbered where two are alike."""
        named: dict[str, Path] = {}
        for path in self._files():
            base = path.name.removesuffix(".gz")
            base = Path(base).stem if Path(base).suffix in _SUFFIXES else base
            name, number = base, 2
            while name in named:
                name, number = f"{base} ({number})", number + 1
            named[name] = path
        return named

    def _files(self) -> list[Path]:
        files: list[Path] = []
        for path in self._paths:
            if path.is_dir():
                files += sorted(
                    file for file in path.iterdir()
                    if file.suffix in _SUFFIXES and not file.name.startswith(".") and file.is_file()
                    and file.resolve() not in self._others()
                )
            else:
                files.append(path)
        return files[:MAX_RUNS]

    def _others(self) -> set[Path]:
        return {path.resolve() for path in (self._qrels, self._topics) if path is not None}

    def run(self, name: str, path: Path) -> Run:
        """The run of a file.

        :raises SourceError: it is missing or unreadable.
        :raises FormatError: it is not a run.
        """
        run: Run = self._fresh("run", path, lambda: Run.read(path))
        return run if run.name == name else run.renamed(name)

    def runs(self) -> tuple[list[Run], list[str]]:
        """All runs that can be read, by their names here, and what is wrong with the others."""
        runs, problems = [], []
        for name, path in self.names().items():
            try:
                runs.append(self.run(name, path))
            except PorismError as error:
                problems.append(f"{path.name} is not a run: {error.what}")
        return runs, problems

    def qrels(self) -> Qrels:
        """The judgments, which are the same object until they change; empty where nothing is judged yet."""
        if self._qrels is not None:
            path = self._qrels
            qrels: Qrels = self._fresh("qrels", path, lambda: read_qrels(path))
            return qrels
        if self._judgments is None:
            return {}
        with self._lock:
            changes = self._judgments.changes
            if self._judged[0] != changes:
                judged = {topic.id: dict(topic.grades) for topic in self._judgments.topics if topic.grades}
                self._judged = (changes, judged)
            return self._judged[1]

    def topics(self) -> Mapping[str, Query]:
        """The topics by their ids; empty where there is no file of them."""
        if self._topics is None:
            return {}
        path = self._topics
        topics: Mapping[str, Query] = self._fresh(
            "topics", path, lambda: {topic.id: topic for topic in read_topics(path)}
        )
        return topics

    def text(self, topic_id: str) -> Content | None:
        """What a topic asks, None where that is not known; of a topic with a title that alone."""
        if (query := self.topics().get(topic_id)) is not None:
            return query.fields.get("title") or next((field for field in query.fields.values() if field), None)
        if self._judgments is not None and (question := self._judgments.question(topic_id)) is not None:
            from porism.corpus import split_math

            return split_math(question)
        return None

    def version(self) -> tuple[object, ...]:
        """Changes whenever a run, the judgments or the topics do."""
        paths = [*self._files(), *self._others()]
        return (self._judgments.changes if self._judgments else 0, *((path, _stamp(path)) for path in paths))

    def _fresh(self, kind: str, path: Path, read: Callable[[], Any]) -> Any:
        """What a file holds, read again only if its time or size has changed."""
        stamp = _stamp(path)
        with self._lock:
            known = self._read.get((kind, path))
        if known is not None and known[0] == stamp:
            return known[1]
        value = read()
        with self._lock:
            self._read[(kind, path)] = (stamp, value)
        return value


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size
