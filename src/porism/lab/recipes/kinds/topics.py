"""``[topics.NAME]``: topics, their judgments and what is known of them; whole or split into parts."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from porism.corpus import read_qrels, read_topics
from porism.corpus.topics import read_topic_information
from porism.errors import ConfigError
from porism.formula import operator_tree, parse
from porism.index import Snapshot
from porism.index.joint import open_snapshot
from porism.lab.evaluate import restrict_qrels
from porism.lab.evaluate.splits import arqmath_2021_split, published_2021_split, stratified_split
from porism.lab.recipes.checking import Check, Data, Loading, nearest_or, some_names
from porism.lab.recipes.digests import digest, query_digest
from porism.lab.recipes.draft import RecipeErrors
from porism.lab.recipes.execution import Execution
from porism.lab.recipes.kinds.base import TableKind
from porism.lab.recipes.kinds.collection import index_paths, planned_index
from porism.lab.recipes.kinds.collection_settings import collection_of
from porism.lab.recipes.planning import Planner
from porism.lab.recipes.recipe import Recipe, base_set
from porism.search.formula_occurrences import FormulaPlaces
from porism.settings import Path, Settings, nearest
from porism.types import Query

SPLIT_COLUMN = "category"
"""The column by which the split of ARQMath 2021 is stratified."""

_PARTS = {
    "arqmath-2021": ("train", "validation", "test", "smaller-train", "smaller-validation", "bigger-train"),
    "arqmath-2021-published": ("train", "validation", "test", "bigger-train"),
}
"""The parts of splits that have a name."""


@dataclass(frozen=True, slots=True)
class TopicSettings(Settings):
    """A set of topics.

    :param path: the file of topics; not needed where only runs made elsewhere are scored.
    :param qrels: the relevance judgments.
    :param information: what is known of each topic (CSV): category, difficulty, dependency.
    :param partial: judgments of documents that the collection does not hold are left out, and topics with none left.
    :param formulas: topics ask for formulas (ARQMath Task 2).
    :param context: of formula topics, whether their other fields count.
    :param wildcards: topics whose formulas have wildcards count.
    :param split: parts of the set, named ``SET.PART`` elsewhere in the recipe: ``arqmath-2021`` (drawn),
        ``arqmath-2021-published`` (the topics of the paper), or how many topics each part has
        (``{train = 55, test = 22}``).
    :param by: the column of the information by which a split is stratified; none: the parts are drawn from all.
    """

    path: str | None = None
    qrels: str | None = None
    information: str | None = None
    partial: bool = False
    formulas: bool = False
    context: bool = False
    wildcards: bool = True
    split: Literal["arqmath-2021", "arqmath-2021-published"] | Mapping[str, int] | None = None
    by: str | None = None

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the parts that the set is split into."""
        if isinstance(self.split, str):
            return _PARTS[self.split]
        return tuple(self.split or ())


@dataclass(frozen=True, slots=True)
class TopicSet:
    """A topic set as read. ``parts`` is part → topics; ``qrels`` are not yet restricted to the collection."""

    name: str
    settings: TopicSettings
    queries: tuple[Query, ...] = ()
    qrels: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    information: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def query_digests(self) -> list[tuple[str, str]]:
        """Topics with the digest of what each asks."""
        return [(query.id, query_digest(query)) for query in self.queries]

    @property
    def judgments_digest(self) -> str:
        """Of the judgments. The order of topics counts, since tables have it; that of documents does not."""
        return digest([[topic, dict(gains)] for topic, gains in self.qrels.items()])

    def topics(self, named: str) -> tuple[str, ...] | None:
        """The topics of a part of the set (``dev.train``); None for the whole set."""
        part = named.partition(".")[2]
        return self.parts[part] if part else None

    def judged(self, named: str) -> list[str]:
        """The topics of the set, or of a part of it, that have judgments."""
        chosen = self.topics(named)
        known = None if chosen is None else set(chosen)
        return [topic for topic in self.qrels if known is None or topic in known]

    def has_column(self, column: str, path: Path, errors: RecipeErrors) -> bool:
        """Whether the topic information has a column; what is wrong is noted at ``path``."""
        known = list(dict.fromkeys(name for row in self.information.values() for name in row))
        if column in known:
            return True
        if self.settings.information is None:
            hint = f"Write information = \"FILE.csv\" in [topics.{self.name}]."
            errors.error(f"the topics {self.name!r} have no information", path, hint)
        elif known:
            errors.error(f"the topic information has no column {column!r}", path, nearest(column, known))
        return False


class TopicKind(TableKind[TopicSettings]):
    """Topic sets."""

    table = "topics"
    settings = TopicSettings

    def check_name(self, name: str, path: Path, errors: RecipeErrors) -> None:
        if "." in name:
            errors.error(
                f"the topic set {name!r} has a dot in its name", path,
                "A dot leads to the parts of a set that is split.",
            )

    def load(self, loading: Loading) -> dict[str, TopicSet]:
        return {name: self._set(loading, name, settings) for name, settings in self.of(loading.recipe).items()}

    def _set(self, loading: Loading, name: str, settings: TopicSettings) -> TopicSet:
        path = ("topics", name)
        read: dict[str, Any] = {}
        readers: dict[str, Any] = {
            "path": lambda file: tuple(read_topics(
                file, content="formula" if settings.formulas else "auto", on_problem=loading.on_problem
            )),
            "qrels": read_qrels,
            "information": read_topic_information,
        }
        for setting, reader in readers.items():
            given = getattr(settings, setting)
            file = None if given is None else loading.exists(given, (*path, setting))
            if file is None or not (name in loading.used_topics or settings.split):
                continue
            with loading.errors.taking((*path, setting)):
                read["queries" if setting == "path" else setting] = reader(file)
        if not settings.wildcards:
            _leave_out_wildcards(read)
        if settings.partial and (collection_of(loading.recipe) is None or settings.qrels is None):
            loading.errors.error(
                f"topics.{name} is partial, and there are no {'judgments' if settings.qrels is None else 'documents'} "
                "to compare", (*path, "partial"), "Name qrels and a collection, or leave it out.",
            )
        topics = TopicSet(name, settings, **read)
        if settings.split is not None:
            parts = _parts(topics, (*path, "split"), loading.errors, loading.recipe.seed)
            topics = TopicSet(name, settings, **read, parts=parts)
        queries = {query.id for query in topics.queries}
        if topics.queries and topics.qrels and not queries & set(topics.qrels):
            loading.errors.error(
                f"the topics and the judgments of {name!r} have no topic in common", (*path, "qrels"),
                f"The topics are {some_names(queries)}; the judgments are of {some_names(topics.qrels)}.",
            )
        return topics


def _leave_out_wildcards(read: dict[str, Any]) -> None:
    """Removes topics whose formulas have wildcards, with their judgments."""
    queries = read.get("queries", ())
    asking = {
        query.id for query in queries for content in query.fields.values() for formula in content.formulas
        if any(node.kind == "W" for node in operator_tree(parse(formula)).root.walk())
    }
    read["queries"] = tuple(query for query in queries if query.id not in asking)
    if "qrels" in read:
        read["qrels"] = {topic: gains for topic, gains in read["qrels"].items() if topic not in asking}


TOPIC_KIND = TopicKind()


def topic_settings(recipe: Recipe, topics: str) -> TopicSettings | None:
    """The settings of a topic set, or of the set that it is a part of; None if the recipe has none."""
    settings: TopicSettings | None = recipe.tables.get("topics", {}).get(base_set(topics))
    return settings


def asks_for_formulas(recipe: Recipe, topics: str) -> bool:
    """Whether topics ask for formulas; those that the recipe does not have do not."""
    settings = topic_settings(recipe, topics)
    return settings is not None and settings.formulas


def topic_set(data: Data, topics: str) -> TopicSet:
    """A topic set as read, or that which ``topics`` is a part of."""
    given: TopicSet = data["topics"][base_set(topics)]
    return given


def has_topics(data: Data, topics: str) -> bool:
    """Whether there is such a topic set; otherwise that was reported as an error."""
    return base_set(topics) in data["topics"]


def learned_from(data: Data, taught: str, folds: int, topics: str) -> Sequence[str]:
    """The topics of ``taught`` from which something learned that ranks ``topics``; with folds none of its own."""
    if folds and base_set(taught) == base_set(topics):
        return ()
    return topic_set(data, taught).judged(taught)


def check_topics(check: Check, name: str, path: Path) -> bool:
    """Whether a topic set, or a part of one, exists."""
    known = check.names("topics")
    for other, settings in TOPIC_KIND.of(check.recipe).items():
        known += [f"{other}.{part}" for part in settings.parts]
    given = topic_settings(check.recipe, name)
    if name not in known and not (given is None and base_set(name) in check.names("topics")):
        check.errors.error(f"there is no topic set {name!r}", path, nearest_or(name, known, "[topics.NAME]"))
        return False
    return given is not None


def check_judged(check: Check, name: str, path: Path) -> None:
    """Whether a topic set, or a part of one, exists and has judgments."""
    if not check_topics(check, name, path):
        return
    given = topic_settings(check.recipe, name)
    if given is not None and given.qrels is None:
        check.errors.error(
            f"the topic set {base_set(name)!r} has no judgments", path,
            f"Write qrels = \"FILE\" in [topics.{base_set(name)}].",
        )


def judgments_digest(planner: Planner, topics: str) -> str:
    """The digest of the judgments of a topic set, or of a part of one; of a partial set, of the index too."""
    given = topic_set(planner.data, topics)
    known = planned_index(planner).key if given.settings.partial else ""
    return digest([given.judgments_digest, given.settings.partial, known, given.topics(topics)])


def used_qrels(execution: Execution, topics: str) -> dict[str, dict[str, int]]:
    """The judgments of a topic set or a part of one; of a partial set, those of the collection's documents."""
    given = topic_set(execution.data, topics)

    def restricted() -> dict[str, dict[str, int]]:
        if not given.settings.partial:
            return {topic: dict(gains) for topic, gains in given.qrels.items()}
        snapshot = execution.opened("snapshot", lambda: open_snapshot(index_paths(execution)))
        held = FormulaPlaces(snapshot).every_name() if given.settings.formulas else _DocumentIds(snapshot)
        return restrict_qrels(given.qrels, held)

    qrels = execution.shared(f"qrels {given.name}", restricted)
    chosen = given.topics(topics)
    return qrels if chosen is None else {topic: qrels[topic] for topic in chosen if topic in qrels}


class _DocumentIds(Container[str]):
    """The ids of the documents of a snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def __contains__(self, doc_id: object) -> bool:
        return isinstance(doc_id, str) and self._snapshot.find(doc_id) is not None


def _parts(given: TopicSet, path: Path, errors: RecipeErrors, seed: int) -> dict[str, tuple[str, ...]]:
    """The parts of a split; empty ones, where it cannot be split, which is noted."""
    settings = given.settings
    topics = list(given.qrels or [query.id for query in given.queries])
    column = settings.by or (SPLIT_COLUMN if settings.split == "arqmath-2021" and given.information else None)
    strata = dict.fromkeys(topics, "")
    if column is not None:
        if not given.has_column(column, (*path[:-1], "by" if settings.by else "split"), errors):
            return {}
        strata = {topic: given.information[topic][column] for topic in topics if topic in given.information}
    try:
        if settings.split == "arqmath-2021-published":
            return published_2021_split(topics)
        if isinstance(settings.split, str):
            missing = [topic for topic in topics if topic not in strata]
            if missing:
                raise ConfigError(f"the topic {missing[0]} has no {column} in the topic information")
            return arqmath_2021_split(strata, seed=seed)
        return stratified_split(topics, strata, settings.split or {}, seed=seed)
    except ConfigError as error:
        errors.take(error, path)
        return dict.fromkeys(settings.parts, ())
