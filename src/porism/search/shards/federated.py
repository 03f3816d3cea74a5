"""Search of several shards, here or on servers, as of one index that has all their documents."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import is_not
from typing import Any, TypeVar

from porism.errors import ConfigError, PorismError, QueryError
from porism.explanation import Explanation
from porism.index import Filters
from porism.index.joint import check_alike
from porism.retrieve import SearchModel
from porism.retrieve.models import model_from
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.search.answers import Hit
from porism.search.locations import Location
from porism.search.marked_text import Piece, Snippet
from porism.search.questions import Question, read_question
from porism.search.shards.asking import Asking, MissingShard
from porism.search.shards.merging import Ranked, add_statistics, best, channel_totals, choose, link_gains, thread_scores
from porism.search.shards.requests import (
    CandidatesRequest,
    CollectionRequest,
    HitsRequest,
    LinksRequest,
    Moved,
    Shard,
    StatisticsRequest,
)
from porism.search.shards.values import (
    PROTOCOL,
    ShardCollection,
    ShardHit,
    ShardQuestion,
    ShownPiece,
    WholeStatistics,
)
from porism.types import Query

SECONDS = 10.0
"""How long a shard may take for all of its answers to a question, where nothing else is said."""

_TRIES = 3

_PLACES = frozenset({"source", "file", "line", "kind", "section", "tag", "url"})

T = TypeVar("T")


class ShardsMissing(PorismError):
    """No shard answered, or all had to."""


@dataclass(frozen=True, slots=True)
class FederatedAnswer:
    """The hits, best first, hints, and the shards that are ``missing`` from the answer. ``pages`` has the address of
    the page of a hit that is on a server, by id; ``total`` is how many documents were found, up to the depth."""

    hits: tuple[Hit, ...]
    hints: tuple[str, ...] = ()
    missing: tuple[MissingShard, ...] = ()
    pages: Mapping[str, str] | None = None
    restricted: bool = False
    total: int = 0

    @property
    def partial(self) -> bool:
        """Whether a shard is missing."""
        return bool(self.missing)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: ``hits``, ``hints``, ``partial``, and the ``missing`` shards with the ``reason`` of each."""
        return {
            "hits": [hit.to_dict() for hit in self.hits], "hints": list(self.hints), "partial": self.partial,
            "missing": [{"name": one.name, "reason": one.reason} for one in self.missing],
        }


@dataclass(frozen=True, slots=True)
class _Ranking:
    """What was found for a question, by the statistics of the shards that answered."""

    ranked: list[Ranked]
    statistics: WholeStatistics
    generations: Mapping[Shard, int]


class FederatedIndex:
    """Several shards that are searched as one index; safe to share between threads.

    Each shard has so many ``seconds`` for a question. One that fails or is too slow is missing from the answer, which
    says so; the statistics are those of the shards that answered the first two steps.
    """

    def __init__(self, shards: Sequence[Shard], *, seconds: float = SECONDS) -> None:
        """
        :raises ConfigError: there are no shards, two have one name, or the time is not above 0.
        """
        if not shards or len({one.name for one in shards}) < len(shards):
            raise ConfigError("shards have different names, and there is at least one")
        if not seconds > 0:
            raise ConfigError(f"shards cannot answer in {seconds:g} seconds", hint="Use a number above 0.")
        self.shards, self.seconds = tuple(shards), seconds
        self._collections: dict[Shard, ShardCollection] = {}
        self._model: SearchModel | None = None
        self._last_totals: tuple[list[ShardCollection], tuple[int, Any]] | None = None

    def search(
        self, question: str | Question, k: int = 10, *, filters: Filters | None = None, explain: bool = False,
        first: int = 0, depth: int = 0,
    ) -> FederatedAnswer:
        """The best ``k`` documents of all shards for a question as a person types it; those after the ``first`` ones.

        :param depth: so many are counted at least.
        :raises QueryError: the question is empty, ``k`` is below 1, or a filter names a key that no document has.
        :raises ConfigError: the shards cannot be searched as one.
        :raises ShardsMissing: no shard answers.
        """
        def work(asking: Asking) -> FederatedAnswer:
            read = self._read(question, asking)
            asked = ShardQuestion.of(read, self._filters(read, filters, asking))
            if k < 1:
                raise QueryError(f"{k} results cannot be found", hint="Ask for at least 1.")
            ranking = self._rank(asked, max(depth, first + k), asking)
            total = len(ranking.ranked)
            ranking = replace(ranking, ranked=ranking.ranked[first : first + k])
            hits, pages = self._hits(asked, ranking, explain, asking, first)
            return FederatedAnswer(
                tuple(hits), read.notes, tuple(asking.missing), pages, bool(read.conditions or read.filters), total
            )

        return self._ask(work)

    def run(
        self, queries: Iterable[Query], k: int = 1000, *, filters: Filters | None = None, name: str = "porism"
    ) -> Run:
        """The results of many queries; an empty query has no results.

        :raises QueryError: ``k`` is below 1, two queries have one id, or a filter names a key that no document has.
        :raises ShardsMissing: a shard does not answer: a run has the results of all.
        """
        wanted = list(queries)
        if len({query.id for query in wanted}) < len(wanted):
            raise QueryError("two queries have the same id")
        results: dict[str, list[tuple[str, float]]] = {}
        seconds: dict[str, float] = {}

        def work(query: Query, asking: Asking) -> list[tuple[str, float]]:
            asked = ShardQuestion.of(Question(query), self._filters(Question(query), filters, asking))
            ranking = self._rank(asked, k, asking)
            if asking.missing:
                raise ShardsMissing(str(asking.missing[0]), hint="A run needs the answers of all indexes; try again.")
            return [(one.shown_id, one.score) for one in ranking.ranked]

        for query in wanted:
            started = time.perf_counter()
            has_content = any(query.fields.values())
            results[query.id] = self._ask(partial(work, query)) if has_content else []
            seconds[query.id] = time.perf_counter() - started
        described = {"kind": "search of shards", "model": self.model.to_dict(), "shards": {
            shard.name: {"documents": one.documents, "generation": one.generation}
            for shard, one in self._collections.items()
        }}
        return Run(results, name, provenance=Provenance(described, self.model.tuned_on, seconds=seconds))

    @property
    def model(self) -> SearchModel:
        """The model by which all shards are searched.

        :raises ShardsMissing: no shard answers.
        """
        if not self._collections:
            self._ask(lambda asking: None)
        if self._model is None:
            found = model_from(next(iter(self._collections.values())).model)
            assert isinstance(found, SearchModel), "shards are searched by no other models"
            self._model = found
        return self._model

    def __len__(self) -> int:
        if not self._collections:
            self._ask(lambda asking: None)
        return sum(one.documents for one in self._collections.values())

    def _ask(self, work: Callable[[Asking], T]) -> T:
        """Does some work with the shards that answer; again, where one has a newer commit meanwhile."""
        for left in reversed(range(_TRIES)):
            asking = Asking(self.shards, self.seconds)
            self._collect(asking)
            if not asking.shards:
                raise ShardsMissing(
                    "no index answers: " + "; ".join(map(str, asking.missing)), hint="Are the servers running?"
                )
            try:
                return work(asking)
            except Moved:
                self._collections, self._model = {}, None
                if not left:
                    raise
        raise AssertionError("the last try returns or raises")

    def _collect(self, asking: Asking) -> None:
        """Learns what each shard has, where that is not known yet, and checks that they fit."""
        known = self._collections
        unknown = [shard for shard in asking.shards if shard not in known]
        new = asking.some(dict.fromkeys(unknown, lambda one: one.ask(CollectionRequest())))
        here = known | new
        collections = {shard: here[shard] for shard in asking.shards if shard in here}
        check_shards(collections)
        self._collections = known | collections

    def _read(self, question: str | Question, asking: Asking) -> Question:
        if isinstance(question, Question):
            return question
        here = [self._collections[shard] for shard in asking.shards]
        fields = {name for one in here for name in one.fields}
        keys = {name for one in here for name in one.metadata}
        return read_question(question, fields, lambda: keys, guess_formulas=True)

    def _filters(self, question: Question, filters: Filters | None, asking: Asking) -> dict[str, tuple[str, ...]]:
        wanted = {key: (value,) if isinstance(value, str) else tuple(value) for key, value in (filters or {}).items()}
        for key, values in question.filters.items():
            wanted[key] = (*wanted.get(key, ()), *values)
        known = {name for shard in asking.shards for name in self._collections[shard].metadata}
        for key in wanted:
            if key not in known:
                raise QueryError(
                    f"no document has the metadata {key!r}", where="filter",
                    hint=f"There is {', '.join(sorted(known))}." if known else "The documents have no metadata.",
                )
        return wanted

    def _rank(self, asked: ShardQuestion, k: int, asking: Asking) -> _Ranking:
        if k < 1:
            raise QueryError(f"{k} results cannot be found", hint="Ask for at least 1.")
        counted = asking.all(lambda shard: shard.ask(StatisticsRequest(asked)))
        for shard, one in counted.items():
            if one.generation != self._collections[shard].generation:
                raise Moved("the index has a newer commit")
        generations = {shard: one.generation for shard, one in counted.items()}
        statistics = add_statistics(*self._totals([self._collections[shard] for shard in counted]), counted.values())
        model = self.model
        depth = max(k, model.candidates)
        found = asking.all(lambda shard: shard.ask(
            CandidatesRequest(asked, statistics, depth, generations[shard])
        ))
        chosen = choose(found, depth)
        gains: dict[str, float] = {}
        if model.links.weight > 0 and any(self._collections[shard].links for shard in found):
            scores = thread_scores(chosen)
            threads = tuple(scores)
            linked = asking.all(lambda shard: shard.ask(LinksRequest(generations[shard], threads)))
            pairs = [tuple(pair) for one in linked.values() for pair in one.links]
            others = tuple(sorted({other for _, other in pairs} - set(scores)))
            held = asking.all(lambda shard: shard.ask(LinksRequest(generations[shard], (), others))) if others else {}
            gains = link_gains(
                model.links, scores, [(one, other) for one, other in pairs],
                [name for one in held.values() for name in one.held],
            )
        return _Ranking(best(chosen, k, gains), statistics, generations)

    def _totals(
        self, collections: list[ShardCollection]
    ) -> tuple[int, tuple[tuple[str, str, int, float], ...]]:
        """The documents of shards, and the statistics of their channels; the last are remembered."""
        known = self._last_totals
        if known is None or len(known[0]) != len(collections) or any(map(is_not, known[0], collections)):
            documents = sum(one.documents for one in collections)
            known = self._last_totals = collections, (documents, channel_totals(collections))
        return known[1]

    def _hits(
        self, asked: ShardQuestion, ranking: _Ranking, explain: bool, asking: Asking, first: int = 0
    ) -> tuple[list[Hit], dict[str, str]]:
        wanted: dict[Shard, list[str]] = {}
        for one in ranking.ranked:
            if one.shard in asking.shards:
                wanted.setdefault(one.shard, []).append(one.id)
        shown = asking.some(dict.fromkeys(wanted, lambda one: one.ask(
            HitsRequest(asked, ranking.statistics, tuple(wanted[one]), ranking.generations[one], explain)
        )))
        by_id = {(shard, hit.id): hit for shard, found in shown.items() for hit in found.hits}
        hits: list[Hit] = []
        pages: dict[str, str] = {}
        for one in ranking.ranked:
            if (hit := by_id.get((one.shard, one.id))) is not None:
                hits.append(_shown(hit, one, first + len(hits) + 1))
                if (page := getattr(one.shard, "page", None)) is not None:
                    pages[one.shown_id] = page(one.id)
        return hits, pages


def check_shards(collections: Mapping[Shard, ShardCollection]) -> None:
    """Checks that shards can be searched as one.

    :raises ConfigError: they speak different protocols, are of different versions, make terms in different ways, or are
        searched by different models.
    """
    if not collections:
        return
    check_alike({shard.name: one.config for shard, one in collections.items()})
    first, known = next(iter(collections.items()))
    for shard, one in collections.items():
        if one.protocol != PROTOCOL:
            raise ConfigError(
                f"speaks version {one.protocol} of the protocol of shards, and this is version {PROTOCOL}",
                where=shard.name, hint="Install the same version of Porism on both: pip install --upgrade porism",
            )
        if one.version != known.version:
            raise ConfigError(
                f"is served by Porism {one.version}, and {first.name} by {known.version}: they may make other terms",
                where=shard.name, hint="Install the same version of Porism on both: pip install --upgrade porism",
            )
        if one.model != known.model:
            raise ConfigError(
                f"is searched by another model than {first.name}", where=shard.name,
                hint="Start its server with the same model: porism serve --model NAME",
            )


def _shown(hit: ShardHit, ranked: Ranked, rank: int) -> Hit:
    place: dict[str, Any] = {key: value for key, value in hit.place.items() if key in _PLACES}
    if "section" in place:
        place["section"] = tuple(place["section"])
    explanation = None
    if hit.explanation is not None:
        explanation = _explanation(hit.explanation)
        if ranked.links:
            parts = [*explanation.parts, Explanation(ranked.links, "links: what linked threads give")]
            explanation = replace(explanation, value=ranked.score, parts=parts)
    metadata = {key: tuple(value) if isinstance(value, list) else value for key, value in hit.metadata.items()}
    return Hit(
        rank, ranked.shown_id, ranked.score, _snippet(hit.title), _snippet(hit.snippet), metadata,
        Location(**place), explanation,
    )


def _snippet(pieces: Iterable[ShownPiece]) -> Snippet:
    return Snippet(tuple(Piece(one.text, one.match, one.formula) for one in pieces))


def _explanation(tree: Mapping[str, Any]) -> Explanation:
    try:
        parts = [_explanation(part) for part in tree.get("parts", ())]
        return Explanation(float(tree["value"]), str(tree["label"]), parts)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise QueryError(f"an explanation cannot be read ({error})") from error
