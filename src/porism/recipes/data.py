"""The files that a recipe names: topics, judgments, runs made elsewhere, the collection; read and checked first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path as FilePath
from typing import Any

from porism.analysis.analyzer import AnalysisConfig
from porism.corpus import read_qrels, read_topics
from porism.corpus.registry import detect_format
from porism.corpus.topics import read_topic_information
from porism.errors import ConfigError, OnProblem, PorismError
from porism.evaluate.splits import arqmath_2021_split, k_fold, stratified_split
from porism.index.manifest import Manifest, read_manifest
from porism.recipes.derived import analysis_config, demanded, part_names
from porism.recipes.digests import digest, file_digest, query_digest
from porism.recipes.reading import Draft
from porism.recipes.settings import TopicSettings
from porism.recipes.systems import base_set, fusion_below, is_formula_set
from porism.recipes.terms_extras import term_extras
from porism.runs.run import Run
from porism.settings import Path, nearest
from porism.types import Query

SPLIT_COLUMN = "category"
"""The column by which the split of ARQMath 2021 is stratified."""


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
    def query_digests(self) -> dict[str, str]:
        """Topic → digest of what it asks."""
        return {query.id: query_digest(query) for query in self.queries}

    @property
    def judgments_digest(self) -> str:
        """Of the judgments. The order of topics counts, since tables have it; that of documents does not."""
        return digest([[topic, dict(gains)] for topic, gains in self.qrels.items()])

    def topics(self, named: str) -> tuple[str, ...] | None:
        """The topics of a part of the set (``dev.train``); None for the whole set."""
        part = named.partition(".")[2]
        return self.parts[part] if part else None


@dataclass(frozen=True, slots=True)
class Data:
    """What was read. ``runs`` and ``run_digests`` are by (system, topic set)."""

    topics: Mapping[str, TopicSet]
    runs: Mapping[tuple[str, str], Run]
    run_digests: Mapping[tuple[str, str], str]
    manifest: Manifest | None = None

    def folds(self, draft: Draft, name: str, qrels: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
        """The folds of a tuning, of the topics that have judgments.

        :raises ConfigError: there are fewer topics than folds, or one has no category.
        """
        tuning = draft.recipe.tuning[name]
        given = self.topics[base_set(tuning.on)]
        chosen = given.topics(tuning.on)
        topics = [topic for topic in qrels if chosen is None or topic in set(chosen)]
        strata = None
        if tuning.by is not None:
            strata = {topic: row[tuning.by] for topic, row in given.information.items()}
        seed = draft.recipe.seed if tuning.seed is None else tuning.seed
        return k_fold(topics, tuning.folds, seed=seed, strata=strata)


class Loader:
    """Reads what a recipe needs; what is wrong with it is added to the draft's findings."""

    def __init__(self, draft: Draft, on_problem: OnProblem | None = None) -> None:
        self.draft = draft
        self.recipe = draft.recipe
        self.findings = draft.findings
        self.on_problem = on_problem

    def load(self) -> Data:
        """Everything but the collection itself, of which it is only made sure that it is there."""
        demand = demanded(self.recipe)
        used = {topics for _, topics in demand} | {
            base_set(report.on) for report in self.recipe.report.values()
        }
        partial = any(name in used and given.partial for name, given in self.recipe.topics.items())
        asked = self.recipe.pipelines or self.recipe.rerankers or partial
        manifest = self._collection() if asked else None
        sets = {
            name: self._topics(name, settings, name in used)
            for name, settings in self.recipe.topics.items()
        }
        runs: dict[tuple[str, str], Run] = {}
        digests: dict[tuple[str, str], str] = {}
        for name, settings in self.recipe.runs.items():
            for topics, file in settings.files.items():
                if topics not in sets:
                    continue
                if (name, topics) not in demand:
                    self._exists(file, ("runs", name, topics))
                elif (read := self._run(name, topics, sets[topics])) is not None:
                    runs[(name, topics)], digests[(name, topics)] = read
        self._reports(sets)
        self._tunings(sets)
        self._extras()
        return Data(sets, runs, digests, manifest)

    def _exists(self, given: str, path: Path) -> FilePath | None:
        """A file of the recipe, if it is there."""
        try:
            file = self.draft.file(given)
            found = file.exists()
        except (ConfigError, OSError, ValueError) as error:
            self.findings.take(error if isinstance(error, ConfigError) else ConfigError(str(error)), path)
            return None
        if not found:
            self.findings.error(f"there is no file {str(file)!r}", path, "Paths start from the recipe's folder.")
        return file if found else None

    def _collection(self) -> Manifest | None:
        given = self.recipe.collection
        if given is None:
            return None
        if given.index is not None:
            return self._index(given.index)
        for number, source in enumerate(given.sources):
            path = ("collection", "source") if isinstance(given.source, str) else ("collection", "source", number)
            file = self._exists(source, path)
            if file is not None and given.format is None:
                try:
                    detect_format(file)
                except PorismError as error:
                    self.findings.take(error, path)
        return None

    def _index(self, given: str) -> Manifest | None:
        path = ("collection", "index")
        folder = self._exists(given, path)
        if folder is None:
            return None
        try:
            manifest = read_manifest(folder)
            held = AnalysisConfig.from_dict(manifest.config)
            wanted = analysis_config(self.recipe, self.draft.folder)
        except PorismError as error:
            self.findings.take(error, path)
            return None
        channels = {*held.text, *held.formulas}
        searching: dict[str, Mapping[str, Any]] = {
            "pipelines": self.recipe.pipelines, "rerankers": self.recipe.rerankers,
        }
        for table, name, system in ((table, *item) for table, found in searching.items() for item in found.items()):
            named = system.settings.get("channels")
            for channel in named if isinstance(named, Mapping) else ():
                if channel not in channels and channel in (*wanted.text, *wanted.formulas):
                    self.findings.error(
                        f"the index has no channel {channel!r}", (table, name, "channels", channel),
                        nearest(channel, sorted(channels)),
                    )
        for kind in ("embeddings", "similarities"):
            for name, learnt in getattr(self.recipe, kind).items():
                if learnt.channel and learnt.channel not in channels:
                    self.findings.error(
                        f"the index has no channel {learnt.channel!r}", (kind, name, "channel"),
                        nearest(learnt.channel, sorted(channels)),
                    )
        return manifest

    def _topics(self, name: str, settings: TopicSettings, used: bool) -> TopicSet:
        path = ("topics", name)
        read: dict[str, Any] = {}
        readers: dict[str, Any] = {
            "path": lambda file: tuple(read_topics(
                file, content="formula" if settings.formulas else "auto", on_problem=self.on_problem
            )),
            "qrels": read_qrels,
            "information": read_topic_information,
        }
        for setting, reader in readers.items():
            given = getattr(settings, setting)
            file = None if given is None else self._exists(given, (*path, setting))
            if file is None or not (used or settings.split):
                continue
            try:
                read["queries" if setting == "path" else setting] = reader(file)
            except PorismError as error:
                self.findings.take(error, (*path, setting))
        found = TopicSet(name, settings, **read)
        if settings.partial and (self.recipe.collection is None or settings.qrels is None):
            self.findings.error(
                f"topics.{name} is partial, and there are no {'judgments' if settings.qrels is None else 'documents'} "
                "to compare", (*path, "partial"), "Name qrels and a collection, or leave it out.",
            )
        if settings.split is not None:
            found = TopicSet(name, settings, **read, parts=self._parts(found, (*path, "split")))
        queries = {query.id for query in found.queries}
        if found.queries and found.qrels and not queries & set(found.qrels):
            self.findings.error(
                f"the topics and the judgments of {name!r} have no topic in common", (*path, "qrels"),
                f"The topics are {_some(queries)}; the judgments are of {_some(found.qrels)}.",
            )
        return found

    def _parts(self, given: TopicSet, path: Path) -> dict[str, tuple[str, ...]]:
        settings = given.settings
        topics = list(given.qrels or [query.id for query in given.queries])
        column = settings.by or (SPLIT_COLUMN if settings.split == "arqmath-2021" and given.information else None)
        strata = dict.fromkeys(topics, "")
        if column is not None:
            if not self._column(given, column, (*path[:-1], "by" if settings.by else "split")):
                return {}
            strata = {
                topic: given.information[topic][column] for topic in topics if topic in given.information
            }
        try:
            if isinstance(settings.split, str):
                missing = [topic for topic in topics if topic not in strata]
                if missing:
                    raise ConfigError(f"the topic {missing[0]} has no {column} in the topic information")
                return arqmath_2021_split(strata, seed=self.recipe.seed)
            return stratified_split(topics, strata, settings.split or {}, seed=self.recipe.seed)
        except ConfigError as error:
            self.findings.take(error, path)
            return dict.fromkeys(part_names(settings.split), ())

    def _column(self, given: TopicSet, column: str, path: Path) -> bool:
        """Whether the topic information has a column."""
        known = list(dict.fromkeys(name for row in given.information.values() for name in row))
        if column in known:
            return True
        if given.settings.information is None:
            hint = f"Write information = \"FILE.csv\" in [topics.{given.name}]."
            self.findings.error(f"the topics {given.name!r} have no information", path, hint)
        elif known:
            self.findings.error(f"the topic information has no column {column!r}", path, nearest(column, known))
        return False

    def _run(self, name: str, topics: str, given: TopicSet) -> tuple[Run, str] | None:
        path = ("runs", name, topics)
        settings = self.recipe.runs[name]
        file = self._exists(settings.files[topics], path)
        if file is None:
            return None
        try:
            run = Run.read(file, self.on_problem, ranks=settings.ranks, duplicates=settings.duplicates)
            content = file_digest(file)
        except PorismError as error:
            self.findings.take(error, path)
            return None
        if given.qrels and not set(run) & set(given.qrels):
            self.findings.error(
                f"runs.{name}.{topics} and the judgments of {topics!r} have no topic in common", path,
                f"The run has {_some(run)}; the judgments are of {_some(given.qrels)}.",
            )
        return run.renamed(name), digest([content, settings.ranks, settings.duplicates])

    def _reports(self, sets: Mapping[str, TopicSet]) -> None:
        for name, report in self.recipe.report.items():
            path = self.draft.report_path(name)
            given = sets.get(base_set(report.on))
            if given is None:
                continue
            for number, group in enumerate(report.groups or ()):
                self._column(given, group, (*path, "groups", number))

    def _tunings(self, sets: Mapping[str, TopicSet]) -> None:
        for name, tuning in self.recipe.tuning.items():
            given = sets.get(base_set(tuning.on))
            path = ("tuning", name)
            if given is None or (tuning.by is not None and not self._column(given, tuning.by, (*path, "by"))):
                continue
            if tuning.folds and given.qrels and (part := tuning.on.partition(".")[2]) in ("", *given.parts):
                topics = given.parts[part] if part else tuple(given.qrels)
                if len(topics) < tuning.folds:
                    self.findings.error(
                        f"{len(topics)} topics cannot be divided into {tuning.folds} folds", (*path, "folds")
                    )

    def _extras(self) -> None:
        """Whether the libraries are there that the stages will need."""
        wanted: list[tuple[str, Path, str]] = []
        for name, fusion in self.recipe.fusions.items():
            if fusion.train_on is not None:
                wanted.append(("sklearn", ("fusions", name, "train_on"), "fitting a fusion"))
        for name, report in self.recipe.report.items():
            path = self.draft.report_path(name)
            if report.test in ("t-test", "wilcoxon"):
                wanted.append(("scipy", (*path, "test"), f"the {report.test}"))
            if "html" in report.formats:
                wanted += [(module, (*path, "formats"), "an HTML report") for module in ("matplotlib", "jinja2")]
                wanted.append(("scipy", (*path, "formats"), "an HTML report"))
            for number, system in enumerate(report.ablation):
                fused = self.recipe.fusions.get(fusion_below(self.recipe, system))
                if fused is not None and len(fused.of) > 2:
                    wanted.append(("scipy", (*path, "ablation", number), "the clustering of a fusion's members"))
        needs = [(*one, "lab") for one in wanted]
        if not self.findings:  # what is needed cannot be said of broken tables
            needs += term_extras(self.recipe, self.draft.folder)
        for module, path, purpose, extra in needs:
            if find_spec(module) is None:
                self.findings.error(
                    f"{purpose} needs {module}, which is not installed", path,
                    f"Install it: pip install 'porism[{extra}]'.",
                )


def restricted(topics: TopicSet, doc_ids: Any) -> dict[str, dict[str, int]]:
    """The judgments of a partial set that are of these documents; all of them where the set is not partial."""
    from porism.evaluate import restrict_qrels

    if topics.settings.partial:
        return restrict_qrels(topics.qrels, doc_ids)
    return {topic: dict(gains) for topic, gains in topics.qrels.items()}


def asks_for_formulas(data: Data, topics: str) -> bool:
    """Whether a topic set asks for formulas."""
    return is_formula_set(data.topics[base_set(topics)].settings)


def _some(names: Iterable[str], most: int = 3) -> str:
    listed = list(names)
    return f"{', '.join(sorted(listed)[:most])}{' …' if len(listed) > most else ''}" or "none"
