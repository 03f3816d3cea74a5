"""What a recipe says, as values: collection, terms, topics, runs, pipelines, rerankers, fusions, tuning, reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from porism.errors import ConfigError
from porism.settings import Settings

DEFAULT_MEASURES = ("nDCG'", "MAP'", "P'@10")
"""The measures of a recipe that names none: those of ARQMath."""

SAMPLE = "sample:"
"""What a path begins with that names a file of the bundled sample: ``sample:entries.jsonl``."""

ALL_FORMATS = ("html", "latex", "csv")


@dataclass(frozen=True, slots=True)
class CollectionSettings(Settings):
    """What pipelines search: a ``source`` to index, or an ``index`` that is there.

    :param source: a file or folder, or several.
    :param index: the folder of an index; nothing is indexed then.
    :param channels: ``default`` (those that Porism's models search, and those that pipelines here name), ``all``, or
        the names of channels and of sets of them; ``bpe:NAME`` are those of tokenizers of the recipe.
    :param language: the stemmer.

    The others are the options of the readers (:class:`porism.corpus.ReaderOptions`).
    """

    source: str | tuple[str, ...] | None = None
    index: str | None = None
    channels: str | tuple[str, ...] = "default"
    language: str = "english"
    format: str | None = None
    unit: Literal["answer", "question", "thread"] = "answer"
    comments: bool = True
    formulas: Literal["latex", "mathml"] = "latex"
    fields: Mapping[str, str] | None = None
    id_field: str | None = None
    metadata_fields: tuple[str, ...] | None = None
    encoding: str | None = None
    outside: bool = False
    max_unpacked: int | None = None

    def __post_init__(self) -> None:
        if (self.source is None) == (self.index is None):
            raise ConfigError("a collection has a source or an index", hint="Give one of them.")

    @property
    def sources(self) -> tuple[str, ...]:
        """The files and folders to index."""
        return (self.source,) if isinstance(self.source, str) else self.source or ()


@dataclass(frozen=True, slots=True)
class TokenizerSettings(Settings):
    """A tokenizer of byte-pair encoding, which makes the channel ``bpe:NAME`` of a collection that is indexed.

    :param file: one that is there; nothing is trained then.
    :param vocabulary: how many tokens there are at most, in place of ``merges``.
    :param settings: what else the recipe says: those of :class:`porism.analysis.tokenizers.training.BpeSettings`.
    """

    file: str | None = None
    vocabulary: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.file is not None and (self.settings or self.vocabulary is not None):
            raise ConfigError("a tokenizer from a file is not trained", hint="Leave the other settings out.")


@dataclass(frozen=True, slots=True)
class EmbeddingSettings(Settings):
    """Vectors of the terms of a channel, trained on the collection.

    :param method: how, by a name of :data:`porism.recipes.terms.METHODS`.
    :param model: of decontextualised embeddings, the name or folder of a transformer.
    :param device: where that runs.
    :param batch: how many tokens it reads at once.
    :param settings: what else the recipe says: settings of the method.
    """

    channel: str
    method: str = "word2vec"
    model: str | None = None
    device: str = "auto"
    batch: int = 8_192
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SimilarityTable(Settings):
    """A matrix of token similarities, or several that differ in α.

    :param channel: the channel whose terms are compared; that of the embeddings where not given.
    :param embeddings: the embeddings of the recipe (or of an index that is there) for semantic similarity.
    :param alpha: the share of lexical similarity; 0.6, or 1 without embeddings. A list makes a matrix of each.
    :param settings: what else the recipe says: settings of :class:`porism.similarity.SimilaritySettings`.
    """

    channel: str = ""
    embeddings: str = ""
    alpha: float | tuple[float, ...] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TopicSettings(Settings):
    """A set of topics.

    :param path: the file of topics; not needed where only runs made elsewhere are scored.
    :param qrels: the relevance judgments.
    :param information: what is known of each topic (CSV): category, difficulty, dependency.
    :param partial: judgments of documents that the collection does not hold are left out, and topics with none left.
    :param formulas: topics ask for formulas (ARQMath Task 2).
    :param context: of formula topics, whether their other fields count.
    :param split: parts of the set, named ``SET.PART`` elsewhere in the recipe: ``arqmath-2021``, or how many topics
        each part has (``{train = 55, test = 22}``).
    :param by: the column of the information by which a split is stratified; none: the parts are drawn from all.
    """

    path: str | None = None
    qrels: str | None = None
    information: str | None = None
    partial: bool = False
    formulas: bool = False
    context: bool = False
    split: Literal["arqmath-2021"] | Mapping[str, int] | None = None
    by: str | None = None


@dataclass(frozen=True, slots=True)
class RunSettings(Settings):
    """A run made elsewhere: a file for each topic set (``files``), and how to read them."""

    ranks: Literal["position", "file"] = "position"
    duplicates: Literal["error", "best"] = "error"
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PipelineSettings(Settings):
    """A retriever.

    :param model: the named model that it begins with, or a file of settings (``FILE.toml``).
    :param depth: results a topic; the recipe's where not given.
    :param filters: metadata that documents must have.
    :param settings: what else the recipe says: settings of the model, over those of the named one.
    """

    model: str = "default"
    depth: int | None = None
    filters: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_depth(self.depth)


@dataclass(frozen=True, slots=True)
class RerankerSettings(Settings):
    """Another system's results, the first of them in a new order and the others beneath.

    :param of: the system, of whatever kind.
    :param kind: what gives documents their scores, by a name of :data:`porism.pipeline.rerankers.registry.RERANKERS`.
    :param model: the named model that it begins with, or a file of settings (``FILE.toml``).
    :param depth: how many results of each topic are re-ranked.
    :param settings: what else the recipe says: settings of the model, over those of the named one.
    """

    of: str
    kind: str = "hybrid"
    model: str = "default"
    depth: int = 100
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_depth(self.depth)


@dataclass(frozen=True, slots=True)
class FusionSettings(Settings):
    """Systems combined.

    :param of: the systems, in the order of the weights.
    :param method: how, by a name of :data:`porism.fusion.FUSIONS`.
    :param depth: results a topic; the recipe's where not given.
    :param train_on: the topic set on whose judgments the method is trained, where it is one that learns.
    :param folds: on the topics that it is trained on, each is ranked by a model of the other folds; 0: by one that
        knows it. Elsewhere, by a model of all.
    :param parameters: what else the recipe says: parameters of the method.
    """

    of: tuple[str, ...]
    method: str = "rrf"
    depth: int | None = None
    train_on: str | None = None
    folds: int = 0
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_depth(self.depth)
        _check_folds(self.folds)
        if not self.of:
            raise ConfigError("a fusion needs a system to fuse", hint='For example: of = ["first", "second"].')
        if len(set(self.of)) < len(self.of):
            raise ConfigError("a fusion cannot take one system twice", hint="Give it a larger weight.")


@dataclass(frozen=True, slots=True)
class TuningSettings(Settings):
    """A system whose parameters are chosen by judgments; it is a system itself, under its own name.

    :param of: the pipeline, reranker or fusion.
    :param on: the topic set by whose judgments the parameters are chosen.
    :param parameters: dotted path of a parameter → the values to try (see :mod:`porism.tuning`). A path that
        begins with the name of a pipeline, reranker or fusion that the system is made of leads to a parameter of that.
    :param measure: what is to be high; the first of the recipe where not given.
    :param search: ``grid``, ``random`` or ``coordinate``.
    :param folds: 0: the parameters are chosen on all topics of ``on``, to be used elsewhere. 2 or more: on the topics
        of ``on``, each is answered with what was chosen without its fold; elsewhere as with 0.
    :param by: the column of the topic information that is spread evenly over the folds.
    :param seed: of the folds and the search; that of the recipe where not given.
    """

    of: str
    on: str
    parameters: Mapping[str, Any]
    measure: str | None = None
    search: str = "grid"
    folds: int = 0
    by: str | None = None
    seed: int | None = None
    trials: int | None = None
    rounds: int | None = None
    starts: int | None = None
    most: int | None = None

    def __post_init__(self) -> None:
        _check_folds(self.folds)
        _check_seed(self.seed)
        if not self.parameters:
            raise ConfigError("there is no parameter to tune", hint="For example: parameters = {k = [10, 60]}.")


@dataclass(frozen=True, slots=True)
class ReportSettings(Settings):
    """Systems compared on a topic set.

    :param systems: which, in this order; all that can answer these topics where not given.
    :param baseline: the system that the others are tested against, or ``best``; the first where not given.
    :param test: the significance test.
    :param missing: topics that a system does not answer count as zero, or those that none answers are left out.
    :param level: of the confidence intervals.
    :param groups: columns of the topic information to break the results down by; ARQMath's (category, dependency,
        difficulty) where not given. By length and share of mathematics they are broken down wherever topics have a
        file.
    :param ablation: fusions of which each member is left out in turn, and one member of each cluster is kept.
    :param output: the folder of its files within the output folder; the report's name where not given.
    :param formats: of the files; ``html`` needs the extra ``lab``.
    """

    on: str
    systems: tuple[str, ...] | None = None
    measures: tuple[str, ...] | None = None
    baseline: str | None = None
    test: Literal["t-test", "wilcoxon", "permutation"] = "t-test"
    missing: Literal["zero", "skip"] = "zero"
    level: float = 0.95
    groups: tuple[str, ...] | None = None
    ablation: tuple[str, ...] = ()
    output: str | None = None
    formats: tuple[Literal["html", "latex", "csv"], ...] = ALL_FORMATS  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise ConfigError(f"the level is {self.level}", hint="It is between 0 and 1, such as 0.95.")


@dataclass(frozen=True, slots=True)
class Recipe(Settings):
    """An experiment as data. ``plain`` is the recipe as it was read, for the record."""

    name: str = "experiment"
    seed: int = 0
    measures: tuple[str, ...] = DEFAULT_MEASURES
    depth: int = 1000
    output: str | None = None
    cache: str | None = None
    collection: CollectionSettings | None = None
    tokenizers: Mapping[str, TokenizerSettings] = field(default_factory=dict)
    embeddings: Mapping[str, EmbeddingSettings] = field(default_factory=dict)
    similarities: Mapping[str, SimilarityTable] = field(default_factory=dict)
    topics: Mapping[str, TopicSettings] = field(default_factory=dict)
    runs: Mapping[str, RunSettings] = field(default_factory=dict)
    pipelines: Mapping[str, PipelineSettings] = field(default_factory=dict)
    rerankers: Mapping[str, RerankerSettings] = field(default_factory=dict)
    fusions: Mapping[str, FusionSettings] = field(default_factory=dict)
    tuning: Mapping[str, TuningSettings] = field(default_factory=dict)
    report: Mapping[str, ReportSettings] = field(default_factory=dict)
    plain: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_depth(self.depth)
        _check_seed(self.seed)

    @property
    def kinds(self) -> dict[str, str]:
        """System → which table of the recipe defines it, in the order in which reports show them."""
        return {name: kind for kind in SYSTEM_TABLES for name in getattr(self, kind)}


SYSTEM_TABLES = ("runs", "pipelines", "rerankers", "fusions", "tuning")
"""The tables that define systems."""


def own_settings(kind: type[Any], *, but: str = "") -> list[str]:
    """The names that a table of this kind can have, but for the one that holds whatever else is given."""
    return [setting.name for setting in fields(kind) if setting.name != but]


def _check_depth(depth: int | None) -> None:
    if depth is not None and depth < 1:
        raise ConfigError(f"the depth is {depth}", hint="It is 1 or more.")


def _check_folds(folds: int) -> None:
    if folds < 0 or folds == 1:
        raise ConfigError(f"there cannot be {folds} folds", hint="Use 0 for none, or 2 and more.")


def _check_seed(seed: int | None) -> None:
    if seed is not None and not 0 <= seed < 2**32:
        raise ConfigError(f"the seed is {seed}", hint="It is a whole number from 0 to 4,294,967,295.")
