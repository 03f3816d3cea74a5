"""Kinds of rerankers that have settings of their own and no model of search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Generic, TypeVar

from porism.lab.pipeline.protocols import Reranker
from porism.lab.pipeline.rerankers.texts import DocumentSource
from porism.settings import SettingError, Settings, read_settings, write_settings

S = TypeVar("S", bound=Settings)

NO_MODEL = "default"
"""The ``model`` of a recipe's reranker where the recipe names none."""


@dataclass(frozen=True, slots=True)
class PlainKind(Generic[S]):
    """A kind of reranker whose settings are a frozen dataclass.

    :param name: the kind in recipes, and in messages.
    :param cls: the class of its settings; a field ``tuned_on`` (tuple of topics) keeps what they were tuned on.
    :param build: makes the reranker for an index, of settings and a depth.
    """

    name: str
    cls: type[S]
    build: Callable[[DocumentSource, S, int], Reranker]

    def names(self, model: str, given: Mapping[str, Any], folder: Path) -> list[str]:
        return [one.name for one in fields(self.cls)]  # type: ignore[arg-type]

    def settings(self, model: str, given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        """All settings: those given, over the defaults.

        :raises SettingError: the recipe names a model, or a setting does not exist or fit.
        """
        if model != NO_MODEL:
            raise SettingError(
                f"a reranker of the kind {self.name!r} has no model", path=("model",), hint="Leave the model out."
            )
        return write_settings(read_settings(self.cls, given))

    def check(self, settings: Mapping[str, Any]) -> None:
        """Whether they are settings of this kind.

        :raises SettingError: they are not.
        """
        read_settings(self.cls, settings)

    def channels(self, settings: Mapping[str, Any]) -> tuple[str, ...]:
        return ()

    def make(self, settings: Mapping[str, Any], depth: int, index: DocumentSource) -> Reranker:
        return self.build(index, read_settings(self.cls, settings), depth)

    def stored(self, settings: Mapping[str, Any], tuned_on: tuple[str, ...]) -> dict[str, Any]:
        before = tuple(settings.get("tuned_on", ()))
        return {**settings, "tuned_on": [*before, *(topic for topic in tuned_on if topic not in before)]}
