"""Indexes that are served: each is opened once, and again when there is a new commit, without a request waiting."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from porism.concurrency.memory import Memory
from porism.errors import PorismError, QueryError
from porism.index.manifest import read_manifest
from porism.retrieve.models import read_model
from porism.search.index import Index, open_index
from porism.search.warming import warm
from porism.settings import nearest
from porism.web.vocabulary import Vocabulary

log = logging.getLogger("porism.web")

SECONDS_BETWEEN_LOOKS = 0.5
"""A new commit is looked for at most so often."""


@dataclass(eq=False)
class View:
    """One commit of an index with what has been computed from it; a request keeps the view that it began with."""

    name: str
    index: Index
    memory: Memory[Any] = field(default_factory=lambda: Memory(4_096))
    rankings: Memory[Any] = field(default_factory=lambda: Memory(64))
    vocabulary: Vocabulary | None = None
    """What questions are completed with: None until it has been read, or that of the commit before."""

    @property
    def generation(self) -> int:
        """The number of the commit."""
        return self.index.snapshot.generation

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


class ServedIndex:
    """An index by its folder; :attr:`view` is its newest commit that is open."""

    def __init__(self, name: str, path: Path, model: str = "default", formula_model: str | None = None) -> None:
        """Opens the index.

        :raises IndexNotFound: there is none, and as :func:`porism.search.index.open_index`.
        """
        self.name, self.path = name, path
        self._model = read_model(model)
        self._formula_model = read_model(formula_model, formulas=True) if formula_model else None
        self._lock = Lock()
        self._looked = time.monotonic()
        self._view = self._open()

    def _open(self, vocabulary: Vocabulary | None = None, *, warmed: bool = False) -> View:
        """Opens the newest commit; it is asked a few questions before, or, while it already answers, beside that."""
        index = open_index(self.path, self._model, self._formula_model)
        view = View(self.name, index, vocabulary=vocabulary)
        steps = [_read_vocabulary] if warmed else [_warm, _read_vocabulary]
        if warmed:
            _warm(view)
        Thread(target=_prepare, args=[view, steps], name=f"preparing {self.name}", daemon=True).start()
        return view

    @property
    def view(self) -> View:
        """The view that a request works with; where there is a newer commit, it is opened beside it meanwhile."""
        now = time.monotonic()
        if now - self._looked > SECONDS_BETWEEN_LOOKS and self._lock.acquire(blocking=False):
            self._looked = now
            Thread(target=self._refresh, name=f"reopen {self.name}", daemon=True).start()
        return self._view

    def _refresh(self) -> None:
        """Opens the newest commit where it is not the one that is open. The lock is held already."""
        try:
            if read_manifest(self.path).generation != self._view.generation:
                self._view = self._open(self._view.vocabulary, warmed=True)
                log.info("reopened", extra={"index": self.name, "generation": self._view.generation})
        except PorismError as error:  # the commit that is open goes on being served
            log.warning("not reopened: %s", error, extra={"index": self.name})
        finally:
            self._lock.release()

    def refresh(self) -> None:
        """Opens the newest commit now, if it is not open."""
        with self._lock:
            if read_manifest(self.path).generation != self._view.generation:
                self._view = self._open(self._view.vocabulary)


def _prepare(view: View, steps: Sequence[Callable[[View], None]]) -> None:
    for step in steps:
        step(view)


def _warm(view: View) -> None:
    try:
        warm(view.index)
    except PorismError as error:  # the first reader waits a little longer
        log.warning("not warmed: %s", error, extra={"index": view.name})


def _read_vocabulary(view: View) -> None:
    try:
        view.vocabulary = Vocabulary(view.index.snapshot)
    except PorismError as error:  # questions are answered without completions
        log.warning("no completions: %s", error, extra={"index": view.name})


class Library(Mapping[str, ServedIndex]):
    """All indexes of a server, by name."""

    def __init__(self, indexes: Mapping[str, Path], model: str = "default", formula_model: str | None = None) -> None:
        self._served = {name: ServedIndex(name, path, model, formula_model) for name, path in indexes.items()}

    def __getitem__(self, name: str) -> ServedIndex:
        return self._served[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._served)

    def __len__(self) -> int:
        return len(self._served)

    def view(self, name: str = "") -> View:
        """The newest open commit of an index, of the first where no name is given.

        :raises QueryError: there is no index of this name.
        """
        if not name:
            return next(iter(self._served.values())).view
        if name not in self._served:
            raise QueryError(f"there is no index {name!r}", hint=nearest(name, self._served))
        return self._served[name].view


def names_of(paths: tuple[Path, ...]) -> dict[str, Path]:
    """Names for indexes: of each folder its name without ``.index``, with a number where two are alike."""
    named: dict[str, Path] = {}
    for path in paths:
        resolved = path.resolve()
        base = resolved.name.removesuffix(".index").removesuffix("-index") or "index"
        name, number = base, 2
        while name in named:
            name, number = f"{base}-{number}", number + 1
        named[name] = path
    return named
