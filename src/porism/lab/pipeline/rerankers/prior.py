"""Re-ranking by what is known of documents without the query: how often each answered the questions of training."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from porism.errors import PorismError, SourceError
from porism.explanation import Explanation
from porism.lab.pipeline.protocols import DEPTH, Reranker, check_count
from porism.lab.pipeline.rerankers.plain import PlainKind
from porism.lab.pipeline.rerankers.scoring import ScoringReranker
from porism.lab.pipeline.rerankers.texts import DocumentSource
from porism.lab.train.pairs.files import read_pairs
from porism.settings import SettingError, Settings, read_settings, write_settings
from porism.types import Query


class PriorReranker(ScoringReranker):
    """Gives each document the logarithm of 1 + the number of training pairs whose positive it is, whatever the query.

    What was often cited is likely to be cited again (evidence that does not depend on the query: Craswell, Robertson,
    Zaragoza and Taylor 2005). Alone it says nothing about a query, so it counts in a sum with the first stage.
    """

    def __init__(self, counts: Mapping[str, int], depth: int = DEPTH, *, first_stage: float = 0.7) -> None:
        """
        :param counts: how often each document was a right answer; others have 0.
        :param first_stage: the share of the first stage's scores, see :class:`ScoringReranker`.
        :raises QueryError: ``depth`` is below 1.
        """
        self.counts = counts
        self.depth = check_count(depth, "the depth")
        self.first_stage = first_stage

    def scores(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        return np.array([math.log1p(self.counts.get(doc_id, 0)) for doc_id in doc_ids], np.float64)

    def explain(self, query: Query, doc_id: str) -> Explanation:
        """The score of a document, and the number that it comes from."""
        count = self.counts.get(doc_id, 0)
        return Explanation(math.log1p(count), f"log of 1 + the {count:,} training pairs whose positive it is")

    def reason(self, query: Query, doc_ids: Sequence[str], scores: NDArray[np.float64], at: int) -> Explanation:
        return self.explain(query, doc_ids[at])

    def describe(self) -> dict[str, Any]:
        return {"kind": type(self).__name__, "documents": len(self.counts)}


@dataclass(frozen=True, slots=True)
class PriorSettings(Settings):
    """Documents have the logarithm of 1 + the number of pairs whose positive they are.

    :param pairs: a file of training pairs with the ids of positives, as ``porism train pairs`` writes it; its path
        begins at the recipe's folder.
    :param first_stage: the share of the first stage's scores in a sum with these, both as standard scores.
    :param digest: of the file; worked out.
    """

    pairs: str = ""
    first_stage: float = 0.7
    digest: str = ""
    tuned_on: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.first_stage <= 1:
            raise SettingError(
                f"first_stage cannot be {self.first_stage:g}", path=("first_stage",), hint="It is a share from 0 to 1."
            )


class PriorKind(PlainKind[PriorSettings]):
    """Numbers of pairs of a file: its digest is among the settings."""

    def settings(self, model: str, given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        """All settings, with the whole path of the file and its digest.

        :raises SettingError: there is no such file, it names no document, or a setting does not exist or fit.
        """
        settings = read_settings(PriorSettings, PlainKind.settings(self, model, given, folder))
        path = folder / Path(settings.pairs).expanduser()
        try:
            data = path.read_bytes()
            if not positives(path):
                raise SourceError("no pair has the id of its positive", where=str(path))
        except OSError as error:
            raise SettingError(
                f"the file of pairs {settings.pairs!r} cannot be read ({error.strerror or error})", path=("pairs",),
                hint="Give the path of a file that porism train pairs wrote.",
            ) from error
        except PorismError as error:
            raise SettingError(
                f"the file of pairs {settings.pairs!r} does not fit: {error.what}", path=("pairs",), hint=error.hint
            ) from error
        return write_settings(replace(settings, pairs=str(path.resolve()), digest=xxhash.xxh3_128_hexdigest(data)))


def positives(path: Path) -> Counter[str]:
    """How many pairs of a file have each document as their positive.

    :raises SourceError: the file is missing or has no pairs.
    :raises FormatError: a line is broken.
    """
    return Counter(pair.positive_id for pair in read_pairs(path) if pair.positive_id)


def _reranker(index: DocumentSource, settings: PriorSettings, depth: int) -> Reranker:
    """The reranker of these settings; the index has no part in it.

    :raises SourceError: the file has changed.
    """
    path = Path(settings.pairs)
    if settings.digest and xxhash.xxh3_128_hexdigest(path.read_bytes()) != settings.digest:
        raise SourceError("the file of pairs has changed meanwhile", where=str(path), hint="Start again.")
    reranker = PriorReranker(positives(path), depth, first_stage=settings.first_stage)
    reranker.tuned_on = settings.tuned_on
    return reranker


PRIOR_KIND = PriorKind("prior", PriorSettings, _reranker)
