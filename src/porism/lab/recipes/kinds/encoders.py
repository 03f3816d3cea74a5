"""``[encoders.NAME]``: an encoder of texts, trained on pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from porism.analysis.model_text import FormulaWriting, ModelText
from porism.errors import ConfigError
from porism.index import Snapshot
from porism.index.documents import StoredDocuments
from porism.index.manifest import read_manifest
from porism.lab.recipes.checking import Check, Loading
from porism.lab.recipes.draft import Draft
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.collection import index_state, planned_index
from porism.lab.recipes.kinds.collection_settings import collection_of
from porism.lab.recipes.kinds.intermediate import file_inputs
from porism.lab.recipes.kinds.pairs import PAIR_KIND, excluded, excluded_from, training_pairs
from porism.lab.recipes.kinds.searching import searched_index
from porism.lab.recipes.kinds.trainings import TrainingKind, TrainingStage, training_base
from porism.lab.recipes.planning import Planner
from porism.lab.train.encoder.collection import TrainingCollection, collection_texts
from porism.lab.train.encoder.settings import EncoderTraining
from porism.lab.train.encoder.training import EncoderReport, train_encoder
from porism.lab.train.pairs.exclusion import Exclusion
from porism.lab.train.pairs.files import read_pairs
from porism.settings import Path as SettingPath
from porism.settings import Settings


@dataclass(frozen=True, slots=True)
class AuxiliaryCollection(Settings):
    """Another collection.

    :param index: the folder of its index.
    :param files: files of its pairs.
    :param exclude_topics: files of topics: answers are not told from them, nor from what nearly repeats them.
    :param exclude_ids: files of ids of documents, the same way.
    """

    index: str
    files: tuple[str, ...]
    exclude_topics: tuple[str, ...] = ()
    exclude_ids: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.files:
            raise ConfigError("another collection needs pairs", hint='Add files = ["FILE"].')


def read_auxiliary(
    draft: Draft, tables: Iterable[AuxiliaryCollection], text: ModelText, overlap: float, settings: EncoderTraining
) -> list[TrainingCollection]:
    """Their pairs, and the texts of their documents.

    :raises SourceError: a file cannot be read. :raises FormatError: one is broken.
    :raises IndexNotFound: an index has gone. :raises IndexCorrupt: its files are damaged.
    """
    collections = []
    for table in tables:
        pairs = [pair for name in table.files for pair in read_pairs(draft.file(name))]
        with Snapshot.open(draft.file(table.index)) as snapshot:
            documents = StoredDocuments(snapshot)
            exclude = excluded(table, draft, documents, text, overlap)
            texts = collection_texts(documents, text, exclude, settings.candidates, settings.seed)
        collections.append(TrainingCollection(pairs, texts))
    return collections


@dataclass(frozen=True, slots=True)
class EncoderTable(Settings):
    """An encoder.

    :param model: what training begins with: a folder, an installed package, or a table ``[language_models.NAME]``.
    :param pairs: the tables ``[pairs.NAME]`` that it is trained on.
    :param files: files of pairs beside them.
    :param keep: tables ``[pairs.NAME]`` whose anchors shall be read as before, for the loss ``collection``.
    :param keep_files: files of such pairs.
    :param also: other collections whose questions are learnt at the same time, for the loss ``collection``.
    :param formulas: how formulas are written in these files; that of the tables counts otherwise.
    :param settings: what else the recipe says: settings of the training.
    """

    model: str
    pairs: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    keep_files: tuple[str, ...] = ()
    also: tuple[AuxiliaryCollection, ...] = ()
    formulas: FormulaWriting = "source"
    device: str = "auto"
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.pairs and not self.files:
            raise ConfigError("an encoder needs pairs", hint='Add pairs = ["NAME"] and a table [pairs.NAME].')


class EncoderKind(TrainingKind[EncoderTable]):
    """Encoders; what searches with them names them."""

    table = "encoders"
    settings = EncoderTable
    training = EncoderTraining
    what = "an encoder"
    modules = ("sentence_transformers", "datasets")
    files = ("files", "keep_files")
    pairs = ("pairs", "keep")
    stages = (TrainingStage("encoder", "train encoder", "encoders"),)

    def check_table(self, check: Check, table: EncoderTable, path: SettingPath) -> None:
        if table.settings.get("loss") == "collection":
            if collection_of(check.recipe) is None:
                check.errors.error(
                    "the loss collection needs one, and there is none", (*path, "loss"), "Add [collection]."
                )
            return
        for key in ("keep", "keep_files", "also"):
            if getattr(table, key):
                needs = "other collections" if key == "also" else "questions that keep their vectors"
                check.errors.error(f"only the loss collection has {needs}", (*path, key), 'Add loss = "collection".')

    def load(self, loading: Loading) -> None:
        super().load(loading)
        for name, table in self.of(loading.recipe).items():
            for number, other in enumerate(table.also):
                path = (self.table, name, "also", number)
                for key in ("files", "exclude_topics", "exclude_ids"):
                    loading.all_exist(getattr(other, key), (*path, key))
                folder = loading.exists(other.index, (*path, "index"))
                with loading.errors.taking((*path, "index")):
                    if folder is not None:
                        read_manifest(folder)

    def inputs(self, planner: Planner, table: EncoderTable) -> dict[str, str]:
        keys, draft = super().inputs(planner, table), planner.draft
        for other in table.also:
            keys[f"index {other.index}"] = index_state(read_manifest(draft.file(other.index)))
            keys |= file_inputs(draft, (*other.files, *other.exclude_topics, *other.exclude_ids))
        if table.settings.get("loss") == "collection":
            keys["index collection"] = planned_index(planner).key
        return keys

    def train(self, execution: Execution, table: EncoderTable, folder: Path, on_count: OnCount) -> EncoderReport:
        pairs = training_pairs(execution, table.pairs, table.files)
        kept = [pair.anchor for pair in training_pairs(execution, table.keep, table.keep_files)]
        tables = [PAIR_KIND.of(execution.recipe)[name] for name in table.pairs]
        text = tables[0].text if tables else ModelText(formulas=table.formulas)
        settings = self.training_settings(table)
        collection: dict[str, str] = {}
        auxiliary: list[TrainingCollection] = []
        if settings.loss == "collection":
            collection = _collection(execution, table, text)
            overlap = min((pairs.overlap for pairs in tables), default=0.6)
            auxiliary = read_auxiliary(execution.draft, table.also, text, overlap, settings)
        return train_encoder(
            pairs, training_base(execution, table.model), folder, settings, collection=collection,
            auxiliary=auxiliary, kept=kept, text=text, device=table.device, on_progress=on_count,
        )


ENCODER_KIND = EncoderKind()


def _collection(execution: Execution, table: EncoderTable, text: ModelText) -> dict[str, str]:
    """The documents of the collection but those that its tables of pairs leave out."""
    documents = searched_index(execution).documents
    tables = PAIR_KIND.of(execution.recipe)
    exclusions = [excluded_from(tables[name], execution.draft, documents) for name in table.pairs]
    together = Exclusion(
        tuple(dict.fromkeys(left_out for exclusion in exclusions for left_out in exclusion.texts)),
        frozenset().union(*(exclusion.ids for exclusion in exclusions)),
        min((exclusion.overlap for exclusion in exclusions), default=0.6),
    )
    return collection_texts(documents, text, together)
