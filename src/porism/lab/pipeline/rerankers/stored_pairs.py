"""The kind of reranker that reads pairwise scores from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import xxhash

from porism.errors import SourceError
from porism.lab.pairwise.aggregation.registry import DEFAULT, make_aggregation
from porism.lab.pairwise.files import read_pairwise
from porism.lab.pairwise.scores import Holes
from porism.lab.pipeline.rerankers.pairwise import StoredPairsReranker
from porism.lab.pipeline.rerankers.plain import PlainKind
from porism.lab.pipeline.rerankers.texts import DocumentSource
from porism.settings import SettingError, Settings, read_settings, write_settings


@dataclass(frozen=True, slots=True)
class StoredPairsSettings(Settings):
    """Documents have the score that an aggregation makes of the pairwise scores in a file.

    :param pairs: the file (:func:`porism.lab.pairwise.read_pairwise`); its path begins at the recipe's folder.
    :param method: the aggregation, with its ``parameters``.
    :param holes: what becomes of pairs without a score.
    :param digest: of the file; worked out.
    """

    pairs: str = ""
    method: str = DEFAULT
    parameters: Mapping[str, Any] = field(default_factory=dict)
    holes: Holes = "complement"
    digest: str = ""
    tuned_on: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        make_aggregation(self.method, self.parameters)


class StoredPairsKind(PlainKind[StoredPairsSettings]):
    """Pairwise scores of a file: its digest is among the settings."""

    def settings(self, model: str, given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        """All settings, with the whole path of the file and its digest.

        :raises SettingError: there is no such file, or a setting does not exist or fit.
        """
        settings = read_settings(StoredPairsSettings, PlainKind.settings(self, model, given, folder))
        path = folder / Path(settings.pairs).expanduser()
        try:
            digest = xxhash.xxh3_128_hexdigest(path.read_bytes())
        except OSError as error:
            raise SettingError(
                f"the file of pairwise scores {settings.pairs!r} cannot be read ({error.strerror or error})",
                path=("pairs",), hint="Give the path of a file that porism aggregate reads.",
            ) from error
        return write_settings(replace(settings, pairs=str(path.resolve()), digest=digest))


def _reranker(index: DocumentSource, settings: StoredPairsSettings, depth: int) -> StoredPairsReranker:
    """The reranker of these settings; the index has no part in it.

    :raises SourceError: the file has changed.
    """
    path = Path(settings.pairs)
    if settings.digest and xxhash.xxh3_128_hexdigest(path.read_bytes()) != settings.digest:
        raise SourceError("the file of pairwise scores has changed meanwhile", where=str(path), hint="Start again.")
    aggregation = make_aggregation(settings.method, settings.parameters)
    reranker = StoredPairsReranker(read_pairwise(path), aggregation, depth, holes=settings.holes)
    reranker.tuned_on = settings.tuned_on
    return reranker


STORED_PAIRS_KIND = StoredPairsKind("stored-pairs", StoredPairsSettings, _reranker)
