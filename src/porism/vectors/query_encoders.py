"""Encoders of queries that are loaded once a process, whichever indexes and models use them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from porism.system.concurrency.caching import Memory
from porism.system.concurrency.locks import Lock
from porism.vectors.neural.encoder_files import EncoderFiles
from porism.vectors.neural.encoder_model import Precision
from porism.vectors.neural.model_encoder import ModelEncoder

_KEPT_ENCODERS = 4
_KEPT_QUERIES = 4_096

E = TypeVar("E", bound=ModelEncoder)


class QueryEncoder(Generic[E]):
    """What an encoder gives queries, the last ones kept; loads its model when it is first used. Safe to share between
    threads."""

    def __init__(self, cls: type[E], files: EncoderFiles, device: str, precision: Precision) -> None:
        self._class, self._files, self._device, self._precision = cls, files, device, precision
        self._encoder: E | None = None
        self._known: OrderedDict[tuple[str, int | None], Any] = OrderedDict()
        self._lock = Lock()

    @contextmanager
    def opened(self) -> Iterator[E]:
        """The encoder itself, which no other thread uses meanwhile.

        :raises ConfigError: it cannot be loaded.
        :raises MissingExtra: a library is not installed.
        """
        with self._lock:
            if self._encoder is None:
                self._encoder = self._class.load(self._files, device=self._device, precision=self._precision)
            yield self._encoder

    def encode(self, texts: Sequence[str], max_tokens: int | None = None) -> list[Any]:
        """What each query gets (:meth:`~porism.vectors.neural.model_encoder.ModelEncoder.each_query`)."""
        with self._lock:
            keys = [(text, max_tokens) for text in texts]
            values = {key: self._known[key] for key in keys if key in self._known}
            new = [text for text, _ in dict.fromkeys(keys) if (text, max_tokens) not in values]
            if new:
                with self.opened() as encoder:
                    values |= {
                        (text, max_tokens): value
                        for text, value in zip(new, encoder.each_query(new, max_tokens), strict=True)
                    }
                self._known.update(values)
                while len(self._known) > _KEPT_QUERIES:
                    self._known.popitem(last=False)
            return [values[key] for key in keys]


_encoders: Memory[QueryEncoder[Any]] = Memory(_KEPT_ENCODERS)


def query_encoder(
    cls: type[E], files: EncoderFiles, device: str = "auto", precision: Precision = "auto"
) -> QueryEncoder[E]:
    """The encoder of some files; the same for the same files, settings, device and precision."""
    key = (cls, files.digest, repr(files.settings), device, precision)
    return _encoders.get(key, lambda: QueryEncoder(cls, files, device, precision))
