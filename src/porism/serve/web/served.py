"""Indexes that are served: each is opened once, and again when there is a new commit, without a request waiting."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any

from porism.errors import ConfigError, PorismError, QueryError
from porism.index import JointSnapshot, Snapshot
from porism.index.manifest import read_manifest
from porism.runs.run import Run
from porism.search.answering import RankingStage, Reranking
from porism.search.index import Index, open_index
from porism.search.models.models import read_model
from porism.search.references import ReferenceResolver
from porism.search.warming import warm
from porism.serve.shards.federated import FederatedIndex
from porism.serve.shards.requests import Shard
from porism.serve.shards.shard import IndexShard
from porism.serve.web.vocabulary import CompletionVocabulary
from porism.settings import nearest
from porism.system.concurrency.caching import Memory
from porism.types import Document, Query

if TYPE_CHECKING:
    from porism.lab.pipeline.rerankers.explaining import RerankerChain

log = logging.getLogger("porism.serve.web")

SECONDS_BETWEEN_LOOKS = 0.5
"""A new commit is looked for at most so often."""

ALL = "all"
"""The name of all indexes together, where a server has several."""


HERE = "here"
"""The name of the shard that the indexes of this server are beside other servers."""


@dataclass(eq=False)
class View:
    """One commit of an index with what has been computed from it; a request keeps the view that it began with."""

    name: str
    index: Index
    memory: Memory[Any] = field(default_factory=lambda: Memory(4_096))
    rankings: Memory[Any] = field(default_factory=lambda: Memory(64))
    vocabulary: CompletionVocabulary | None = None
    """What questions are completed with: None until it has been read, or that of the commit before."""
    rerankers: tuple[str, ...] = ()
    """The rerankers that searches for documents can name."""
    models: tuple[str, ...] = ()
    """The models that these can name in place of that of the index."""
    federated: FederatedIndex | None = None
    """The index together with others on servers, where there are some: what searches for documents."""
    _opened: dict[str, Reranking] = field(default_factory=dict)
    _by_model: dict[str, View] = field(default_factory=dict)
    _opening: Any = field(default_factory=Lock)

    @property
    def generation(self) -> int:
        """The number of the commit."""
        return self.index.snapshot.generation

    @property
    def has_several_sources(self) -> bool:
        """Whether the place of a document names the source that has it."""
        return self.federated is not None or len(self.index.snapshot.sources) > 1

    def reranking(self, name: str) -> Reranking | None:
        """The reranker of this name, opened when it is first used; None for the empty name.

        :raises QueryError: the server has none of this name.
        :raises ConfigError: it does not work with the index.
        """
        if not name:
            return None
        if name not in self.rerankers:
            raise QueryError(
                f"the server has no reranker {name!r}",
                hint=f"Choose from {', '.join(self.rerankers)}." if self.rerankers
                else "Start it with one: porism serve --rerank NAME",
            )
        with self._opening:
            if name not in self._opened:
                self._opened[name] = _open_reranker(self, name)
            return self._opened[name]

    def with_model(self, name: str) -> View:
        """The same commit, searched for documents by another model; itself for the empty name.

        :raises QueryError: the server does not offer the model.
        :raises ConfigError: the index lacks what it needs.
        """
        if not name:
            return self
        if name not in self.models:
            raise QueryError(
                f"the server does not offer the model {name!r}",
                hint=f"Choose from {', '.join(self.models)}." if self.models
                else "Start it with one: porism serve --offer-model NAME",
            )
        with self._opening:
            if name not in self._by_model:
                index = self.index.with_models(read_model(name))
                self._by_model[name] = View(
                    self.name, index, vocabulary=self.vocabulary, rerankers=self.rerankers, models=self.models,
                    _opened=self._opened, _opening=self._opening,
                )
            return self._by_model[name]

    @cached_property
    def shard(self) -> IndexShard:
        """The commit as a shard of a larger collection.

        :raises ConfigError: its model cannot be searched in shards.
        """
        return IndexShard(self.name, self.index)

    @cached_property
    def references(self) -> ReferenceResolver:
        """What labels and links in texts lead to."""
        return ReferenceResolver(self.index.snapshot)

    @cached_property
    def metadata_counts(self) -> dict[str, dict[str, int]]:
        """Metadata key → value → documents that have it."""
        counts: dict[str, dict[str, int]] = {}
        for segment in self.index.snapshot.segments:
            for key, values in segment.metadata_counts().items():
                own = counts.setdefault(key, {})
                for value, count in values.items():
                    own[value] = own.get(value, 0) + count
        return counts


class _OneAtATime:
    """Rerankers of which each search waits for the one before: a model and its documents are those of one question."""

    def __init__(self, chain: RerankerChain) -> None:
        self._chain, self._lock, self.depth = chain, Lock(), chain.depth

    def __call__(self, query: Query, run: Run, documents: Mapping[str, Document]) -> Sequence[RankingStage]:
        with self._lock:
            return self._chain(query, run, documents)


def _open_reranker(view: View, name: str) -> Reranking:
    """A reranker for the documents of an index, or of several servers."""
    from porism.lab.pipeline.rerankers.explaining import RerankerChain
    from porism.lab.pipeline.rerankers.named import named_reranker
    from porism.lab.pipeline.rerankers.texts import GivenDocuments

    given = None if view.federated is None else GivenDocuments(view.index.folder)
    return _OneAtATime(RerankerChain([named_reranker(given or view.index, name)], given))


class ServedIndex:
    """An index by its folder; :attr:`view` is its newest commit that is open.

    What it prepares beside the requests runs in threads that a program waits for at its end. A thread that is cut off
    within compiled code would take the program down with it. So :meth:`close` ends them early.
    """

    def __init__(
        self, name: str, path: Path, model: str = "default", formula_model: str | None = None,
        rerankers: Sequence[str] = (), models: Sequence[str] = (),
    ) -> None:
        """Opens the index.

        :raises IndexNotFound: there is none, and as :func:`porism.search.index.open_index`.
        """
        self.name, self.path, self._rerankers, self._models = name, path, tuple(rerankers), tuple(models)
        self._model = read_model(model)
        self._formula_model = read_model(formula_model, formulas=True) if formula_model else None
        self._lock = Lock()
        self._ending = Event()
        self._threads: list[Thread] = []
        self._looked = time.monotonic()
        self._view = self._open()

    def _open(self, vocabulary: CompletionVocabulary | None = None, *, warmed: bool = False) -> View:
        """Opens the newest commit; it is asked a few questions before, or, while it already answers, beside that."""
        index = open_index(self._snapshot(), self._model, self._formula_model)
        view = View(self.name, index, vocabulary=vocabulary, rerankers=self._rerankers, models=self._models)
        steps = [_read_vocabulary] if warmed else [_warm, _read_vocabulary]
        if warmed:
            _warm(view, self._ending)
        self._start("preparing", partial(_prepare, view, steps, self._ending))
        return view

    def _start(self, task: str, work: Callable[[], None]) -> None:
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        thread = Thread(target=work, name=f"{task} {self.name}")
        self._threads.append(thread)
        thread.start()

    def close(self) -> None:
        """Prepares nothing more, and waits for what is being prepared: at most one question, or one document."""
        self._ending.set()
        for thread in self._threads:
            thread.join()

    def _snapshot(self) -> Snapshot:
        """The newest commit."""
        return Snapshot.open(self.path)

    def _generation(self) -> int:
        """The number of the newest commit."""
        return read_manifest(self.path).generation

    @property
    def view(self) -> View:
        """The view that a request works with; where there is a newer commit, it is opened beside it meanwhile."""
        now = time.monotonic()
        is_time = now - self._looked > SECONDS_BETWEEN_LOOKS and not self._ending.is_set()
        if is_time and self._lock.acquire(blocking=False):
            self._looked = now
            self._start("reopen", self._refresh)
        return self._view

    def _refresh(self) -> None:
        """Opens the newest commit where it is not the one that is open. The lock is held already."""
        try:
            if self._generation() != self._view.generation:
                self._view = self._open(self._view.vocabulary, warmed=True)
                log.info("reopened", extra={"index": self.name, "generation": self._view.generation})
        except PorismError as error:  # the commit that is open goes on being served
            log.warning("not reopened: %s", error, extra={"index": self.name})
        finally:
            self._lock.release()

    def refresh(self) -> None:
        """Opens the newest commit now, if it is not open."""
        with self._lock:
            if self._generation() != self._view.generation:
                self._view = self._open(self._view.vocabulary)


class ServedTogether(ServedIndex):
    """Several indexes as one that has all their documents: scores and ranks are those that it would give.

    Its view is of the commits that the views of the indexes are of, and shares what these have opened.
    """

    def __init__(
        self, name: str, parts: Sequence[ServedIndex], model: str = "default", formula_model: str | None = None,
        servers: Sequence[Shard] = (), seconds: float = 5.0, rerankers: Sequence[str] = (), models: Sequence[str] = (),
    ) -> None:
        """Opens the indexes together; searches for documents ask the ``servers`` too, each for so many ``seconds``.

        :raises ConfigError: they were analysed with other settings, or a model reads other files in each.
        """
        self.parts, self._servers, self._seconds = tuple(parts), tuple(servers), seconds
        super().__init__(name, parts[0].path, model, formula_model, rerankers, () if servers else models)

    def _open(self, vocabulary: CompletionVocabulary | None = None, *, warmed: bool = False) -> View:
        view = super()._open(vocabulary, warmed=warmed)
        if self._servers:
            here = IndexShard(HERE, view.index)
            view.federated = FederatedIndex([here, *self._servers], seconds=self._seconds)
        return view

    def _snapshot(self) -> Snapshot:
        return JointSnapshot({part.name: part.view.index.snapshot for part in self.parts})

    def _generation(self) -> int:
        return sum(part.view.generation for part in self.parts)

    def refresh(self) -> None:
        for part in self.parts:
            part.refresh()
        super().refresh()


def _prepare(view: View, steps: Sequence[Callable[[View, Event], None]], ending: Event) -> None:
    for step in steps:
        if not ending.is_set():
            step(view, ending)


def _warm(view: View, ending: Event) -> None:
    try:
        warm(view.index, ended=ending.is_set)
    except PorismError as error:  # the first reader waits a little longer
        log.warning("not warmed: %s", error, extra={"index": view.name})


def _read_vocabulary(view: View, ending: Event) -> None:
    try:
        view.vocabulary = CompletionVocabulary(view.index.snapshot, ending.is_set)
    except PorismError as error:  # questions are answered without completions
        log.warning("no completions: %s", error, extra={"index": view.name})


class Library(Mapping[str, ServedIndex]):
    """All indexes of a server, by name; several are also one, which is called :data:`ALL` and comes last. So is one
    together with indexes on other ``servers``."""

    def __init__(
        self, indexes: Mapping[str, Path], model: str = "default", formula_model: str | None = None,
        servers: Sequence[Shard] = (), seconds: float = 5.0, rerankers: Sequence[str] = (), models: Sequence[str] = (),
    ) -> None:
        """Opens all indexes here; of servers no search chooses the model.

        :raises IndexNotFound: there is none in a folder.
        :raises ConfigError: there are servers, and the indexes here cannot be searched as one; or there is no such
            reranker or model.
        """
        self._served = {
            name: ServedIndex(name, path, model, formula_model, rerankers, models) for name, path in indexes.items()
        }
        self.apart: ConfigError | None = None
        """Why several indexes cannot be searched as one, None where they can."""
        if len(self._served) > 1 or servers:
            name = ALL if ALL not in self._served else "all-indexes"
            try:
                parts = list(self._served.values())
                self._served[name] = ServedTogether(
                    name, parts, model, formula_model, servers, seconds, rerankers, models
                )
            except ConfigError as error:
                if servers:
                    raise
                self.apart = error
                log.warning("not searched as one: %s", error)
        for served in self._served.values():
            for reranker in rerankers:
                served.view.reranking(reranker)
            for offered in served.view.models:
                served.view.with_model(offered)

    def __getitem__(self, name: str) -> ServedIndex:
        return self._served[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._served)

    def __len__(self) -> int:
        return len(self._served)

    def close(self) -> None:
        """Prepares nothing more of any index; what is open can still be asked."""
        for index in self._served.values():
            index.close()

    def view(self, name: str = "") -> View:
        """The newest open commit of an index, of the first where no name is given.

        :raises QueryError: there is no index of this name.
        """
        if not name:
            return next(iter(self._served.values())).view
        if name not in self._served:
            raise QueryError(f"there is no index {name!r}", hint=nearest(name, self._served))
        return self._served[name].view
