"""``beside`` of ``[encoders.NAME]``: other collections whose questions an encoder learns at the same time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from porism.analysis.model_text import ModelText
from porism.errors import ConfigError, PorismError
from porism.index import Snapshot
from porism.index.documents import StoredDocuments
from porism.index.manifest import read_manifest
from porism.lab.recipes.digests import file_digest
from porism.lab.recipes.draft import Draft
from porism.lab.recipes.kinds.collection import index_state
from porism.lab.recipes.loading import Loading
from porism.lab.train.encoder.collection import Asked, collection_texts
from porism.lab.train.encoder.settings import EncoderTraining
from porism.lab.train.pairs.exclusion import exclusion
from porism.lab.train.pairs.files import read_pairs
from porism.settings import Path as SettingPath
from porism.settings import Settings


@dataclass(frozen=True, slots=True)
class BesideTable(Settings):
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
            raise ConfigError("a collection beside the recipe's needs pairs", hint='Add files = ["FILE"].')


def load_beside(loading: Loading, tables: Sequence[BesideTable], path: SettingPath) -> None:
    """Whether indexes and files are there."""
    for number, table in enumerate(tables):
        for key in ("files", "exclude_topics", "exclude_ids"):
            for place, given in enumerate(getattr(table, key)):
                loading.exists(given, (*path, number, key, place))
        folder = loading.exists(table.index, (*path, number, "index"))
        if folder is None:
            continue
        try:
            read_manifest(folder)
        except PorismError as error:
            loading.errors.take(error, (*path, number, "index"))


def beside_inputs(draft: Draft, tables: Sequence[BesideTable]) -> Iterator[tuple[str, str]]:
    """The names and digests of what an encoder learns from them."""
    for table in tables:
        yield f"index {table.index}", index_state(read_manifest(draft.file(table.index)))
        for file in (*table.files, *table.exclude_topics, *table.exclude_ids):
            yield file, file_digest(draft.file(file))


def read_beside(
    draft: Draft, tables: Iterable[BesideTable], text: ModelText, overlap: float, settings: EncoderTraining
) -> list[Asked]:
    """Their pairs, and the texts of their documents.

    :raises SourceError: a file cannot be read. :raises FormatError: one is broken.
    :raises IndexNotFound: an index has gone. :raises IndexCorrupt: its files are damaged.
    """
    found = []
    for table in tables:
        pairs = [pair for name in table.files for pair in read_pairs(draft.file(name))]
        with Snapshot.open(draft.file(table.index)) as snapshot:
            documents = StoredDocuments(snapshot)
            exclude = exclusion(
                [draft.file(name) for name in table.exclude_topics], [draft.file(name) for name in table.exclude_ids],
                documents, text, overlap,
            )
            texts = collection_texts(documents, text, exclude, settings.rivals, settings.seed)
        found.append(Asked(pairs, texts))
    return found
