"""Kinds of rerankers that a recipe can have, and what each makes of the settings in a ``[rerankers.NAME]`` table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from porism.errors import ConfigError
from porism.lab.pipeline.protocols import Reranker
from porism.lab.pipeline.rerankers.listwise import LISTWISE_KIND
from porism.lab.pipeline.rerankers.model_kinds import MODEL_KINDS
from porism.lab.pipeline.rerankers.prior import PRIOR_KIND
from porism.lab.pipeline.rerankers.retriever import RetrieverRerankerKind
from porism.lab.pipeline.rerankers.stored_pairs import STORED_PAIRS_KIND
from porism.lab.pipeline.rerankers.texts import DocumentSource
from porism.settings import SettingError, nearest, read_settings


class RerankerKind(Protocol):
    """One kind of reranker.

    Its settings are plain values by name, all of them, so that they can be compared, cached by and tuned by dotted
    paths. ``tuned_on`` among them are the topics that they were chosen on. Scores may depend on more than the index and
    the code of Porism, such as weights or a library. Its digest or version has to be among the settings.
    """

    def names(self, model: str, given: Mapping[str, Any], folder: Path) -> list[str]:
        """The names of its settings, where a recipe names this model and gives these."""

    def settings(self, model: str, given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        """All settings: those given, over those of the model that the recipe names.

        :raises ConfigError: there is no such model; a SettingError where a setting does not exist or fit.
        """

    def check(self, settings: Mapping[str, Any]) -> None:
        """Whether one can be made of these settings, as far as can be said without the index.

        :raises ConfigError: it cannot.
        """

    def channels(self, settings: Mapping[str, Any]) -> tuple[str, ...]:
        """The channels of the index that it asks."""

    def make(self, settings: Mapping[str, Any], depth: int, index: DocumentSource) -> Reranker:
        """The reranker; it may have ``tuned_on`` and ``describe`` as those of :mod:`porism.lab.pipeline` have.

        :raises ConfigError: a setting does not fit.
        """

    def stored(self, settings: Mapping[str, Any], tuned_on: tuple[str, ...]) -> dict[str, Any]:
        """What a file of the model holds that was tuned on these topics (too), such that a recipe can name the file."""


RERANKERS: Mapping[str, RerankerKind] = MappingProxyType({
    "retriever": RetrieverRerankerKind(),
    PRIOR_KIND.name: PRIOR_KIND,
    STORED_PAIRS_KIND.name: STORED_PAIRS_KIND,
    **{kind.name: kind for kind in MODEL_KINDS},
    LISTWISE_KIND.name: LISTWISE_KIND,
})
"""The kinds by the names that recipes give them."""


def reranker_kind(named: str) -> RerankerKind:
    """A kind by its name.

    :raises SettingError: there is none of this name.
    """
    if named not in RERANKERS:
        raise SettingError(f"there is no kind of reranker {named!r}", path=("kind",), hint=nearest(named, RERANKERS))
    return RERANKERS[named]


@dataclass(frozen=True, slots=True)
class _Depth:
    depth: int

    def __post_init__(self) -> None:
        if self.depth < 1:
            raise ConfigError(f"the depth is {self.depth}", hint="It is 1 or more.")


def split_depth(settings: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    """How many results are re-ranked, and the settings of the kind.

    :raises SettingError: the depth is not a whole number of 1 or more.
    """
    rest = dict(settings)
    return read_settings(_Depth, {"depth": rest.pop("depth")}).depth, rest
