"""What all searches of several shards need: who answers, what each has, and the ranking of documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import is_not
from typing import Any, TypeVar

from porism.errors import ConfigError, PorismError, QueryError
from porism.index import Filters
from porism.index.joint import check_alike
from porism.retrieve import SearchModel
from porism.retrieve.base import RetrieverSettings
from porism.retrieve.feedback.learning import Judged
from porism.retrieve.models import model_from
from porism.search.questions import Question, read_question
from porism.search.shards.asking import Asking
from porism.search.shards.learning import Learning
from porism.search.shards.merging import Ranked, add_statistics, best, channel_totals, choose, link_gains, thread_scores
from porism.search.shards.requests import (
    CandidatesRequest,
    CollectionRequest,
    ExpandedTerms,
    LinksRequest,
    Moved,
    Shard,
    StatisticsRequest,
)
from porism.search.shards.values import PROTOCOL, ShardCollection, ShardQuestion, WholeStatistics

SECONDS = 10.0
"""How long a shard may take for all of its answers to a question, where nothing else is said."""

_TRIES = 3

T = TypeVar("T")


class ShardsMissing(PorismError):
    """No shard answered, or all had to."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What was found for a question, by the statistics of the shards that answered; ``expanded`` has the terms of a
    question that has learnt some."""

    ranked: list[Ranked]
    statistics: WholeStatistics
    generations: Mapping[Shard, int]
    expanded: ExpandedTerms | None = None


class Gathering:
    """Several shards, what each has, and which documents they find together; safe to share between threads."""

    def __init__(self, shards: Sequence[Shard], *, seconds: float = SECONDS) -> None:
        """
        :raises ConfigError: there are no shards, two have one name, or the time is not above 0.
        """
        if not shards or len({one.name for one in shards}) < len(shards):
            raise ConfigError("shards have different names, and there is at least one")
        if not seconds > 0:
            raise ConfigError(f"shards cannot answer in {seconds:g} seconds", hint="Use a number above 0.")
        self.shards, self.seconds = tuple(shards), seconds
        self.collections: dict[Shard, ShardCollection] = {}
        self._model: RetrieverSettings | None = None
        self.moves = 0
        """How often a search began again."""
        self._last_totals: tuple[list[ShardCollection], tuple[int, Any]] | None = None

    @property
    def model(self) -> RetrieverSettings:
        """The model by which all shards are searched.

        :raises ShardsMissing: no shard answers.
        """
        if not self.collections:
            self.ask(lambda asking: None)
        if self._model is None:
            self._model = model_from(next(iter(self.collections.values())).model)
        return self._model

    def __len__(self) -> int:
        if not self.collections:
            self.ask(lambda asking: None)
        return sum(one.documents for one in self.collections.values())

    def ask(self, work: Callable[[Asking], T]) -> T:
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
                self.collections, self._model = {}, None
                self.moves += 1
                if not left:
                    raise
        raise AssertionError("the last try returns or raises")

    def _collect(self, asking: Asking) -> None:
        """Learns what each shard has, where that is not known yet, and checks that they fit."""
        known = self.collections
        unknown = [shard for shard in asking.shards if shard not in known]
        new = asking.some(dict.fromkeys(unknown, lambda one: one.ask(CollectionRequest())))
        here = known | new
        collections = {shard: here[shard] for shard in asking.shards if shard in here}
        check_shards(collections)
        self.collections = known | collections

    def read(self, question: str | Question, asking: Asking) -> Question:
        """A question as a person types it."""
        if isinstance(question, Question):
            return question
        here = [self.collections[shard] for shard in asking.shards]
        fields = {name for one in here for name in one.fields}
        keys = {name for one in here for name in one.metadata}
        return read_question(question, fields, lambda: keys, guess_formulas=True)

    def filters(
        self, of_question: Mapping[str, tuple[str, ...]], filters: Filters | None, asking: Asking
    ) -> dict[str, tuple[str, ...]]:
        """The filters of a question and those beside it.

        :raises QueryError: one names a key that no document has.
        """
        wanted = {key: (value,) if isinstance(value, str) else tuple(value) for key, value in (filters or {}).items()}
        for key, values in of_question.items():
            wanted[key] = (*wanted.get(key, ()), *values)
        known = {name for shard in asking.shards for name in self.collections[shard].metadata}
        for key in wanted:
            if key not in known:
                raise QueryError(
                    f"no document has the metadata {key!r}", where="filter",
                    hint=f"There is {', '.join(sorted(known))}." if known else "The documents have no metadata.",
                )
        return wanted

    def rank(self, asked: ShardQuestion, k: int, asking: Asking, judged: Judged | None = None) -> Ranking:
        """The best ``k`` documents; from ``judged`` ones the question learns in place of those found first.

        :raises QueryError: ``k`` is below 1, or a judged document is in no shard, or in several.
        :raises ConfigError: the model does not learn from judged documents.
        :raises Moved: a shard has a newer commit.
        """
        if k < 1:
            raise QueryError(f"{k} results cannot be found", hint="Ask for at least 1.")
        model = self.model
        while True:
            generations, counted = self._count(asked, asking)
            missing = len(asking.missing)
            expanded, statistics = Learning(asking, asked, counted, generations, model).learn(judged)
            if len(asking.missing) == missing:
                break  # else nothing of what is lost counts: neither its documents nor its statistics
        depth = max(k, model.candidates) if isinstance(model, SearchModel) else k
        found = asking.all(lambda shard: shard.ask(
            CandidatesRequest(generations[shard], asked, statistics, depth, expanded)
        ))
        chosen = choose(found, depth)
        gains: dict[str, float] = {}
        linked_at_all = any(self.collections[shard].links for shard in found)
        if isinstance(model, SearchModel) and model.links.weight > 0 and linked_at_all:
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
        return Ranking(best(chosen, k, gains), statistics, generations, expanded)

    def _count(self, asked: ShardQuestion, asking: Asking) -> tuple[dict[Shard, int], WholeStatistics]:
        """The commits of the shards that have counted what a question names, and the statistics of all of them.

        :raises Moved: a shard has a newer commit.
        """
        counted = asking.all(lambda shard: shard.ask(StatisticsRequest(asked)))
        for shard, one in counted.items():
            if one.generation != self.collections[shard].generation:
                raise Moved("the index has a newer commit")
        totals = self._totals([self.collections[shard] for shard in counted])
        return {shard: one.generation for shard, one in counted.items()}, add_statistics(*totals, counted.values())

    def _totals(
        self, collections: list[ShardCollection]
    ) -> tuple[int, tuple[tuple[str, str, int, float], ...]]:
        """The documents of shards, and the statistics of their channels; the last are remembered."""
        known = self._last_totals
        if known is None or len(known[0]) != len(collections) or any(map(is_not, known[0], collections)):
            documents = sum(one.documents for one in collections)
            known = self._last_totals = collections, (documents, channel_totals(collections))
        return known[1]


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
        if one.encoder != known.encoder:
            raise ConfigError(
                f"has vectors of another encoder than {first.name}, or it reads text in another way", where=shard.name,
                hint="Encode both by one model, with the same settings: porism encode MODEL --index DIR",
            )
        if one.model != known.model:
            raise ConfigError(
                f"is searched by another model than {first.name}", where=shard.name,
                hint="Start its server with the same model: porism serve --model NAME",
            )
