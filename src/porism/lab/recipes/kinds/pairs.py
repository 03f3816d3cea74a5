"""``[pairs.NAME]``: training pairs, mined from the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from porism.analysis.model_text import FormulaWriting, ModelText
from porism.errors import ConfigError
from porism.lab.recipes.cache import CacheEntry, copy_file
from porism.lab.recipes.checking import Check, Loading
from porism.lab.recipes.draft import Draft
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.base import Outputs, StageKind
from porism.lab.recipes.kinds.collection import planned_index
from porism.lab.recipes.kinds.collection_settings import collection_of
from porism.lab.recipes.kinds.intermediate import IntermediateKind, StageInputs, file_inputs
from porism.lab.recipes.kinds.searching import searched_index
from porism.lab.recipes.planning import Planner, RecipeStage
from porism.lab.train.negatives import IndexSearch, Negatives, add_negatives
from porism.lab.train.pairs.base import Miner, Pair
from porism.lab.train.pairs.exclusion import Exclusion, exclusion
from porism.lab.train.pairs.files import read_pairs, write_pairs
from porism.lab.train.pairs.registry import mine_pairs, parse_miner
from porism.settings import SettingError, Settings, read_settings, write_settings
from porism.types import Documents


@dataclass(frozen=True, slots=True)
class PairSettings(Settings):
    """Pairs of the collection.

    :param miners: as ``porism train pairs`` has them: ``titles``, ``citations:file=links.tsv``.
    :param exclude_topics: files of topics, which are left out with what nearly repeats them.
    :param exclude_ids: files of ids of documents, the same way.
    :param marks: what stands before and after a formula.
    :param negatives: how negatives are mined from a search: settings of :class:`porism.lab.train.negatives.Negatives`.
    """

    miners: tuple[str, ...]
    exclude_topics: tuple[str, ...] = ()
    exclude_ids: tuple[str, ...] = ()
    overlap: float = 0.6
    most: int | None = None
    formulas: FormulaWriting = "source"
    marks: tuple[str, str] = ("$", "$")
    seed: int = 1
    negatives: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.miners:
            raise ConfigError("pairs need a miner", hint='For example: miners = ["titles"].')

    @property
    def text(self) -> ModelText:
        """How texts are written for the model."""
        return ModelText(formulas=self.formulas, before=self.marks[0], after=self.marks[1])


class MinePairs(StageKind):
    """Mines pairs from the documents of the index."""

    name = "pairs"
    verb = "mine pairs"

    def write(self, stage: RecipeStage, execution: Execution, folder: Path, on_count: OnCount) -> dict[str, Any]:
        table: PairSettings = execution.recipe.tables["pairs"][stage.name]
        draft = execution.draft
        text = table.text
        index = searched_index(execution)
        excluded = excluded_from(table, draft, index.documents)
        mined = mine_pairs(
            index.documents, _miners(table, draft), text, exclude=excluded, most=table.most, seed=table.seed,
            on_progress=on_count,
        )
        pairs = mined.pairs
        about: dict[str, Any] = {count.miner: count.kept for count in mined.counts}
        if table.negatives:
            pairs, counts = add_negatives(
                pairs, index.documents, _negatives(table), text, searcher=IndexSearch(index), on_progress=on_count
            )
            about["with negatives"] = counts.with_negatives
        about["pairs"] = write_pairs(folder / f"{stage.name}.jsonl", pairs)
        return about

    def put(self, stage: RecipeStage, entry: CacheEntry, execution: Execution, outputs: Outputs) -> None:
        copy_file(entry.file(f"{stage.name}.jsonl"), outputs.folder / "pairs" / f"{stage.name}.jsonl")


class PairKind(IntermediateKind[PairSettings]):
    """Pairs. They are mined where something is trained on them."""

    table = "pairs"
    settings = PairSettings
    reads_collection = True
    stages = (MinePairs(),)

    def check(self, check: Check) -> None:
        for name, table in self.of(check.recipe).items():
            if collection_of(check.recipe) is None:
                check.errors.error(
                    "pairs are mined from a collection, and there is none", (self.table, name), "Add [collection]."
                )
            for number, written in enumerate(table.miners):
                with check.errors.taking((self.table, name, "miners", number)):
                    parse_miner(written)
            with check.errors.taking((self.table, name, "negatives")):
                _negatives(table)

    def load(self, loading: Loading) -> None:
        for name, table in self.of(loading.recipe).items():
            for key in ("exclude_topics", "exclude_ids"):
                loading.all_exist(getattr(table, key), (self.table, name, key))
            for number, given in enumerate(table.miners):
                for file in _files(given):
                    loading.exists(file, (self.table, name, "miners", number))

    def making(self, planner: Planner, name: str) -> StageInputs:
        table = self.of(planner.recipe)[name]
        inputs = {"index collection": planned_index(planner).key}
        files = [*table.exclude_topics, *table.exclude_ids]
        files += [file for written in table.miners for file in _files(written)]
        return StageInputs(inputs | file_inputs(planner.draft, files), write_settings(table))


PAIR_KIND = PairKind()


def training_pairs(execution: Execution, tables: Iterable[str], files: Iterable[str]) -> list[Pair]:
    """The pairs of tables and of files, which something is trained on."""
    pairs: list[Pair] = []
    for name in tables:
        made = execution.planner.others[PAIR_KIND.table, name]
        pairs += read_pairs(execution.entry("pairs", made.key, made.name).file(f"{name}.jsonl"))
    for name in files:
        pairs += read_pairs(execution.draft.file(name))
    return pairs


class _Excludes(Protocol):
    """A table that says what nothing may be trained on."""

    @property
    def exclude_topics(self) -> tuple[str, ...]: ...

    @property
    def exclude_ids(self) -> tuple[str, ...]: ...


def excluded(table: _Excludes, draft: Draft, documents: Documents, text: ModelText, overlap: float = 0.6) -> Exclusion:
    """What a table says that nothing may be trained on."""
    topics, ids = ([draft.file(name) for name in names] for names in (table.exclude_topics, table.exclude_ids))
    return exclusion(topics, ids, documents, text, overlap)


def excluded_from(table: PairSettings, draft: Draft, documents: Documents) -> Exclusion:
    """What a table of pairs says that nothing may be trained on."""
    return excluded(table, draft, documents, table.text, table.overlap)


def _miners(table: PairSettings, draft: Draft) -> list[Miner]:
    """The miners, their files found from the folder of the recipe."""
    miners = []
    for written in table.miners:
        miner = parse_miner(written)
        given = {name: getattr(miner, name) for name in miner.files}
        files: dict[str, Any] = {name: str(draft.file(file)) for name, file in given.items() if file}
        miners.append(replace(miner, **files) if files else miner)
    return miners


def _files(written: str) -> list[str]:
    """The files that a miner reads; none of one with errors, which are reported elsewhere."""
    with suppress(ConfigError):
        miner = parse_miner(written)
        return [value for name in miner.files if (value := getattr(miner, name))]
    return []


def _negatives(table: PairSettings) -> Negatives:
    settings = read_settings(Negatives, table.negatives)
    if settings.source == "model":
        raise SettingError(
            "negatives of a recipe come from a search or from tags", path=("source",),
            hint="Mine others with porism train pairs, and name the file in [encoders.NAME]: files = [\"FILE\"].",
        )
    return settings
