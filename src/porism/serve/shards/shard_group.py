"""What all searches of several shards need: who answers, what each has, and the ranking of documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from porism.errors import ConfigError, PorismError, QueryError
from porism.index import Filters
from porism.index.joint import check_alike
from porism.retrieve import SearchModel
from porism.retrieve.base import RetrieverSettings
from porism.retrieve.feedback.learning import Judged
from porism.search.models.models import model_from
from porism.search.models.sums.retriever import SumModel
from porism.search.questions import Question, read_question
from porism.serve.shards.fan_out import ShardCalls
from porism.serve.shards.ranking import DocumentRanker, ShardRanking, SummedPart, rank_sum
from porism.serve.shards.requests import CollectionRequest, Shard, StaleCommit
from porism.serve.shards.values import PROTOCOL, ShardCollection, ShardQuestion

SECONDS = 10.0
"""How long a shard may take for all of its answers to a question, where nothing else is said."""

_TRIES = 3

T = TypeVar("T")


class ShardsMissing(PorismError):
    """No shard answered, or all had to."""


class ShardGroup:
    """Several shards, what each has, and which documents they find together; safe to share between threads."""

    def __init__(self, shards: Sequence[Shard], *, seconds: float = SECONDS) -> None:
        """
        :raises ConfigError: there are no shards, two have one name, or the time is not above 0.
        """
        if not shards or len({shard.name for shard in shards}) < len(shards):
            raise ConfigError("shards have different names, and there is at least one")
        if not seconds > 0:
            raise ConfigError(f"shards cannot answer in {seconds:g} seconds", hint="Use a number above 0.")
        self.shards, self.seconds = tuple(shards), seconds
        self.collections: dict[Shard, ShardCollection] = {}
        self._model: RetrieverSettings | None = None
        self.moves = 0
        """How often a search began again."""
        self.parts: dict[str, SummedPart] = {}
        """What is known of the parts of a sum of models, by name."""
        self._ranker = DocumentRanker()

    @property
    def model(self) -> RetrieverSettings:
        """The model by which all shards are searched.

        :raises ShardsMissing: no shard answers.
        """
        if not self.collections:
            self.ask(lambda calls: None)
        if self._model is None:
            self._model = self._model_of(self.collections)
        assert self._model is not None, "a shard has answered"
        return self._model

    @staticmethod
    def _model_of(collections: Mapping[Shard, ShardCollection]) -> RetrieverSettings | None:
        return next((model_from(collection.model) for collection in collections.values()), None)

    @property
    def tuned_on(self) -> tuple[str, ...]:
        """The topics that the model, or any part of it, was tuned on."""
        return tuple(dict.fromkeys((
            *self.model.tuned_on, *(topic for part in self.parts.values() for topic in part.model.tuned_on),
        )))

    def __len__(self) -> int:
        if not self.collections:
            self.ask(lambda calls: None)
        return sum(collection.documents for collection in self.collections.values())

    def ask(self, work: Callable[[ShardCalls], T]) -> T:
        """Does some work with the shards that answer; again, where one has a newer commit meanwhile.

        A shard that has one again and again is missing.
        """
        moved: Counter[Shard | None] = Counter()
        while True:
            calls = ShardCalls(self.shards, self.seconds)
            for shard in self.shards:
                if moved[shard] >= _TRIES:
                    calls.lose(shard, "a newer commit again and again")
            self._collect(calls)
            if not calls.shards:
                raise ShardsMissing(
                    "no index answers: " + "; ".join(map(str, calls.missing)), hint="Are the servers running?"
                )
            try:
                return work(calls)
            except StaleCommit as error:
                self.collections, self.parts, self._model = {}, {}, None
                self.moves += 1
                moved[error.shard] += 1
                if moved[None] >= _TRIES:
                    raise

    def _collect(self, calls: ShardCalls) -> None:
        """Learns what each shard has, where that is not known yet, and checks that they fit."""
        known = self.collections
        unknown = [shard for shard in calls.shards if shard not in known]
        new = calls.some(dict.fromkeys(unknown, lambda shard: shard.ask(CollectionRequest())))
        here = known | new
        collections = {shard: here[shard] for shard in calls.shards if shard in here}
        check_shards(collections)
        self.collections = known | collections
        if isinstance(model := self._model or self._model_of(collections), SumModel):
            self._collect_parts(calls, model)

    def _collect_parts(self, calls: ShardCalls, model: SumModel) -> None:
        """Learns how the parts of a sum search each shard."""
        known = self.parts
        parts = {name: _part(name, known.get(name), calls) for name in _summed(model)}
        self.parts = {name: part for name, part in parts.items() if part is not None}

    def read(self, question: str | Question, calls: ShardCalls) -> Question:
        """A question as a person types it."""
        if isinstance(question, Question):
            return question
        here = [self.collections[shard] for shard in calls.shards]
        fields = {name for collection in here for name in collection.fields}
        keys = {name for collection in here for name in collection.metadata}
        return read_question(question, fields, lambda: keys, guess_formulas=True)

    def shard_question(self, question: Question, filters: Filters | None, calls: ShardCalls) -> ShardQuestion:
        """A question as shards are asked it: with all filters, in the languages of all of them.

        :raises QueryError: a filter names a key that no document has.
        """
        languages: Counter[str] = Counter()
        for shard in calls.shards:
            languages.update(self.collections[shard].languages)
        whole = replace(question, filters=self.filters(question.filters, filters, calls))
        return ShardQuestion(whole, dict(languages.most_common()))

    def filters(
        self, of_question: Mapping[str, tuple[str, ...]], filters: Filters | None, calls: ShardCalls
    ) -> dict[str, tuple[str, ...]]:
        """The filters of a question and those beside it.

        :raises QueryError: one names a key that no document has.
        """
        wanted = {key: (value,) if isinstance(value, str) else tuple(value) for key, value in (filters or {}).items()}
        for key, values in of_question.items():
            wanted[key] = (*wanted.get(key, ()), *values)
        known = {name for shard in calls.shards for name in self.collections[shard].metadata}
        for key in wanted:
            if key not in known:
                raise QueryError(
                    f"no document has the metadata {key!r}", where="filter",
                    hint=f"There is {', '.join(sorted(known))}." if known else "The documents have no metadata.",
                )
        return wanted

    def rank(self, asked: ShardQuestion, k: int, calls: ShardCalls, judged: Judged | None = None) -> ShardRanking:
        """The best ``k`` documents; from ``judged`` ones the question learns in place of those found first.

        :raises QueryError: ``k`` is below 1, or a judged document is in no shard, or in several.
        :raises ConfigError: the model does not learn from judged documents.
        :raises StaleCommit: a shard has a newer commit.
        """
        if k < 1:
            raise QueryError(f"{k} results cannot be found", hint="Ask for at least 1.")
        model, collections, parts = self.model, self.collections, self.parts
        summed = _summed(model) if isinstance(model, SumModel) else []
        known = [collections, *(parts[name].collections if name in parts else {} for name in summed)]
        if not all(of_part.keys() >= set(calls.shards) for of_part in known):
            raise StaleCommit("another search has found a newer commit")
        if judged and not isinstance(model, SearchModel):
            raise ConfigError(
                "the model does not learn from judged documents", hint="Choose one of terms, such as default."
            )
        if isinstance(model, SumModel):
            return rank_sum(asked, k, calls, model, parts)
        return self._ranker.rank(asked, k, calls, model, collections, judged)


def _summed(model: SumModel) -> list[str]:
    """The names of the parts of a sum that count."""
    return [name for name, part in model.parts.items() if part.weight > 0]


def _part(name: str, known: SummedPart | None, calls: ShardCalls) -> SummedPart | None:
    """What is known of a part of a sum, with the shards of which it was not known yet; None where none answers."""
    collections = dict(known.collections) if known else {}
    unknown = [shard for shard in calls.shards if shard not in collections]
    collections |= calls.some(dict.fromkeys(unknown, lambda shard: shard.ask(CollectionRequest(part=name))))
    check_shards({shard: collections[shard] for shard in calls.shards if shard in collections})
    if not collections:
        return None
    model = model_from(next(iter(collections.values())).model)
    return SummedPart(model, known.ranker if known else DocumentRanker(name), collections)


def check_shards(collections: Mapping[Shard, ShardCollection]) -> None:
    """Checks that shards can be searched as one.

    :raises ConfigError: they speak different protocols, are of different versions, make terms in different ways, or are
        searched by different models.
    """
    if not collections:
        return
    check_alike({shard.name: collection.config for shard, collection in collections.items()})
    first, known = next(iter(collections.items()))
    for shard, collection in collections.items():
        if collection.protocol != PROTOCOL:
            raise ConfigError(
                f"speaks version {collection.protocol} of the protocol of shards, and this is version {PROTOCOL}",
                where=shard.name, hint="Install the same version of Porism on both: pip install --upgrade porism",
            )
        if collection.version != known.version:
            raise ConfigError(
                f"is served by Porism {collection.version}, and {first.name} by {known.version}: they may make other "
                "terms",
                where=shard.name, hint="Install the same version of Porism on both: pip install --upgrade porism",
            )
        if collection.model != known.model:
            raise ConfigError(
                f"is searched by another model than {first.name}", where=shard.name,
                hint="Start its server with the same model: porism serve --model NAME",
            )
        if collection.encoder != known.encoder:
            raise ConfigError(
                f"was encoded otherwise than {first.name}: by another encoder, under another name, or with other "
                "settings or centroids", where=shard.name,
                hint="Encode both by one model, with the same settings: porism encode MODEL --name NAME --index DIR",
            )
