"""Encoding the documents or formulas of an index by a model, and recording the model, so that later commits encode new
ones.

This is the same for all kinds of encodings. What differs is declared by a subclass of :class:`EncodingKind`; all of
them are listed in :mod:`porism.vectors.encoding_kinds`.
"""

from __future__ import annotations

import os
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar, cast

from porism.index import Segment, Snapshot, locked_snapshot
from porism.retrieve.encoding_store import Encoding, EncodingStore
from porism.settings import Settings
from porism.system.concurrency.clusters import connected
from porism.system.files.artifacts import MODELS
from porism.vectors.cluster_encoding import encode_segments
from porism.vectors.neural.encoder_files import EncoderFiles, find_encoder
from porism.vectors.neural.encoder_model import ModelClass, Precision, fetched_encoder
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.neural.model_encoder import ModelEncoder, OnProgress, OnWarning, no_progress, no_warning
from porism.vectors.providers import DocumentProvider, SegmentProvider
from porism.vectors.records import TextEncoding

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")

R = TypeVar("R", bound=Encoding)
E = TypeVar("E")
M = TypeVar("M", bound=ModelEncoder)
T = TypeVar("T", bound=TextEncoding)


@dataclass(frozen=True, slots=True)
class EncodingReport(Generic[R]):
    """What was encoded: the ``record``; how many documents or formulas the index has (``count``) and how many of them
    were ``encoded`` now, in ``seconds``; and whether it was ``interrupted``. If it was not, also how many ``rows`` they
    have in all (vectors, tokens or terms), and their ``bytes`` on disk."""

    record: R
    count: int
    encoded: int
    seconds: float
    interrupted: bool
    rows: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Which model encodes, and how: settings in place of its own or over them, its precision and its device."""

    model: str | os.PathLike[str]
    index: Path
    settings: EncoderSettings | Mapping[str, Any] | None = None
    precision: Precision = "auto"
    device: str = "auto"
    on_warning: OnWarning = no_warning

    def files(self, kind: ModelClass) -> EncoderFiles:
        """The files of the model, which is fetched if need be.

        :raises ConfigError: there is no such model or setting.
        """
        files = fetched_encoder(self.model, self.index, kind=kind)
        if isinstance(self.settings, EncoderSettings):
            return replace(files, settings=self.settings)
        return replace(files, settings=files.settings.changed(self.settings or {}))

    @property
    def persistent_name(self) -> str:
        """The model as an index records it: a folder by its path, which is relative to nothing, except for one of the
        index itself, which goes along with it; others as they are named."""
        folder = Path(os.fspath(self.model)).expanduser()
        if not folder.is_dir():
            return os.fspath(self.model)
        resolved = folder.resolve()
        inside = resolved.parent == (self.index / MODELS.folder).resolve()
        return resolved.name if inside else str(resolved)


@dataclass(frozen=True, slots=True)
class NoOptions(Settings):
    """The options of a kind that has none of its own."""


class EncodingKind(ABC, Generic[R, E]):
    """One kind of encodings of documents or formulas."""

    name: ClassVar[str]
    """What ``porism encode --kind`` calls it."""

    records: EncodingStore[R]
    """The records of an index."""

    options: ClassVar[type[Settings]] = NoOptions
    """What can be chosen for this kind alone; a record has attributes of the same names."""

    compared: ClassVar[tuple[str, ...]] = ()
    """The options on which the rows depend."""

    noun: ClassVar[str] = "document"
    """What is encoded."""

    row_noun: ClassVar[str] = "vector"
    """What is stored of it."""

    search: ClassVar[str]
    """The arguments of ``porism search`` that search by it; the name of the model is the last."""

    @abstractmethod
    def recognises(self, folder: Path) -> bool:
        """Whether the folder of a model says that it gives such encodings."""

    def fits(self, folder: Path) -> bool:
        """Whether the model in a folder can give such encodings."""
        return self.recognises(folder)

    @abstractmethod
    def load(self, chosen: ModelChoice) -> E:
        """Loads the encoder.

        :raises ConfigError: there is no such model, or it is of another kind.
        :raises MissingExtra: a library is not installed.
        """

    @abstractmethod
    def write(self, name: str, chosen: ModelChoice, encoder: E, options: Any, snapshot: Snapshot) -> SegmentProvider:
        """Records an encoding in the index under a name; returns what computes its rows."""

    @abstractmethod
    def provider(self, index: Path, record: R, encoder: E | None = None, device: str = "auto") -> SegmentProvider:
        """What computes the rows of a record."""

    @abstractmethod
    def is_same(self, record: R, model: Path, settings: Mapping[str, Any], options: Any) -> bool:
        """Whether a record is of the model in a folder, with these settings over its own and these options."""

    @abstractmethod
    def about(self, record: R) -> dict[str, Any]:
        """What a record says of the rows, as plain values."""

    @abstractmethod
    def describe(self, record: R) -> str:
        """The same in words; empty where there is nothing to say."""

    @property
    def option_names(self) -> list[str]:
        """The names of its own options."""
        return [option.name for option in fields(cast(Any, self.options))]

    def count(self, snapshot: Snapshot) -> int:
        """How many documents or formulas an index has."""
        return snapshot.doc_count

    def providers(self, index: Path) -> list[SegmentProvider]:
        """What computes rows for an index: one for each record that it has."""
        return [self.provider(index, record) for record in self.records.all(index)]

    def encode(
        self, index_path: str | os.PathLike[str], model: str | os.PathLike[str], *, name: str = "",
        settings: EncoderSettings | Mapping[str, Any] | None = None, precision: Precision = "auto",
        device: str = "auto", cluster: str | None = None, on_progress: OnProgress = no_progress,
        on_warning: OnWarning = no_warning, **options: Any,
    ) -> EncodingReport[R]:
        """Encodes what of an index has no rows of a model yet, and records the model under a name.

        :param model: a folder, or a name (:func:`porism.vectors.neural.encoder_files.find_encoder`).
        :param name: what the encoder is called in settings of models; that of the model if empty.
        :param settings: how it reads text, or what is to differ from what its folder says.
        :param precision: what the model computes with.
        :param cluster: where to encode, as :func:`porism.system.concurrency.clusters.connected` takes it; here if None.
        :param on_progress: receives of how many documents or formulas the rows are there, of how many.
        :param options: those of the kind (:attr:`options`).

        An interruption (Ctrl-C) keeps what was encoded and is noted in the report, not raised; the same call goes on.
        An error leaves the records of the index as they were.

        :raises ConfigError: there is no such model, it is of another kind, or parts of it do not fit together.
        :raises IndexNotFound: there is no index. :raises IndexLocked: another process writes to it.
        :raises ClusterError: the workers of the cluster cannot do the work.
        :raises MissingExtra: a library is not installed. :raises StorageError: the folder cannot be written.
        """
        started = time.monotonic()
        index = Path(index_path)
        own = self.options(**options)
        Snapshot.open(index).close()
        chosen = ModelChoice(model, index, settings, precision, device, on_warning)
        encoder = self.load(chosen)
        named = self.records.kind.check_name(name or encoder_name(model))
        with connected(cluster) as workers, locked_snapshot(index) as snapshot:
            with self.records.replacing(index, named) as before:
                provider = self.write(named, chosen, encoder, own, snapshot)
                encoded, interrupted = encode_segments(snapshot, provider, on_progress, workers)
            replaced = before if before is not None and before.spec != provider.spec else None
            self.remove_stored(index, snapshot.segments, replaced)
            sizes = [] if interrupted else [provider.size(segment) for segment in snapshot.segments]
            return EncodingReport(
                provider.record, self.count(snapshot), encoded, time.monotonic() - started, interrupted,
                sum(rows for rows, _ in sizes), sum(stored for _, stored in sizes),
            )

    def remove_stored(self, index: Path, segments: Sequence[Segment], record: R | None) -> None:
        """Removes what is stored of a record that the index no longer has (None: there is none), and of such before."""
        self.records.remove_others(index, segments)

    def forget(self, index_path: str | os.PathLike[str], name: str) -> None:
        """Forgets an encoding of an index, and removes what is stored of it.

        :raises ConfigError: the index has none of this name.
        :raises IndexLocked: another process writes to it.
        """
        self.records.forget(index_path, name)


class TextEncodingKind(EncodingKind[T, M]):
    """One kind of encodings of documents."""

    provider_class: type[DocumentProvider[T, M]]

    def load(self, chosen: ModelChoice) -> M:
        encoder = self.provider_class.encoder_class
        return encoder.load(
            chosen.files(encoder.model_class), device=chosen.device, precision=chosen.precision,
            on_warning=chosen.on_warning,
        )

    def provider(
        self, index: Path, record: T, encoder: M | None = None, device: str = "auto"
    ) -> DocumentProvider[T, M]:
        return self.provider_class(index, record, encoder=encoder, device=device)

    def is_same(self, record: T, model: Path, settings: Mapping[str, Any], options: Any) -> bool:
        files = find_encoder(model)
        same = (record.digest, record.settings) == (files.digest, files.settings.changed(settings))
        return same and all(getattr(record, name) == getattr(options, name) for name in self.compared)


def encoder_name(model: str | os.PathLike[str]) -> str:
    """The name that an encoder has where none is given: the last part of the model's."""
    last = Path(os.fspath(model)).name or "encoder"
    return _NOT_IN_NAMES.sub("-", last).lstrip("._-") or "encoder"
