"""Kinds of rerankers that have settings of their own and no model of search; some read a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import xxhash

from porism.errors import PorismError, SourceError
from porism.lab.pipeline.protocols import Reranker
from porism.lab.pipeline.rerankers.texts import DocumentSource
from porism.settings import SettingError, Settings, read_settings, write_settings

S = TypeVar("S", bound=Settings)
F = TypeVar("F", bound="FileSettings")

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
        return [setting.name for setting in fields(self.cls)]  # type: ignore[arg-type]

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


def check_first_stage(share: float) -> None:
    """Checks the share of the scores of the first stage in a sum with those of a reranker.

    :raises SettingError: it is not from 0 to 1.
    """
    if not 0 <= share <= 1:
        raise SettingError(f"first_stage cannot be {share:g}", path=("first_stage",), hint="It is a share from 0 to 1.")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSettings(Settings):
    """Settings that name a file.

    :param pairs: the file; its path begins at the recipe's folder.
    :param digest: of the file; worked out.
    """

    pairs: str = ""
    digest: str = ""
    tuned_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileKind(PlainKind[F]):
    """A kind that reads a file, whose digest is among its settings.

    :param noun: what the file has.
    :param hint: where such a file comes from.
    :param check_file: raises a PorismError where the content of a file does not fit.
    """

    noun: str
    hint: str
    check_file: Callable[[Path], object] = lambda path: None

    def settings(self, model: str, given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        """All settings, with the whole path of the file and its digest.

        :raises SettingError: there is no such file, it does not fit, or a setting does not exist or fit.
        """
        settings = read_settings(self.cls, PlainKind.settings(self, model, given, folder))
        path = folder / Path(settings.pairs).expanduser()
        named = f"the file of {self.noun} {settings.pairs!r}"
        try:
            digest = xxhash.xxh3_128_hexdigest(path.read_bytes())
            self.check_file(path)
        except OSError as error:
            raise SettingError(
                f"{named} cannot be read ({error.strerror or error})", path=("pairs",), hint=self.hint
            ) from error
        except PorismError as error:
            raise SettingError(f"{named} does not fit: {error.what}", path=("pairs",), hint=error.hint) from error
        return write_settings(replace(settings, pairs=str(path.resolve()), digest=digest))

    def make(self, settings: Mapping[str, Any], depth: int, index: DocumentSource) -> Reranker:
        """The reranker; the index has no part in it.

        :raises SourceError: the file has changed.
        """
        read = read_settings(self.cls, settings)
        if read.digest and xxhash.xxh3_128_hexdigest(Path(read.pairs).read_bytes()) != read.digest:
            raise SourceError(f"the file of {self.noun} has changed meanwhile", where=read.pairs, hint="Start again.")
        return self.build(index, read, depth)
