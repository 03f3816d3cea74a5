"""Encoders of queries that are loaded once a process, whichever indexes and models use them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from porism.system.concurrency.locks import Lock
from porism.vectors.neural.encoder import Encoder, load_encoder
from porism.vectors.neural.encoder_files import EncoderFiles
from porism.vectors.neural.encoder_model import Precision

_KEPT_ENCODERS = 4
_KEPT_QUERIES = 4_096


class QueryEncoder:
    """Vectors of queries, the last ones kept; loads its model when it is first used. Safe to share between threads."""

    def __init__(self, files: EncoderFiles, device: str, precision: Precision) -> None:
        self._files, self._device, self._precision = files, device, precision
        self._encoder: Encoder | None = None
        self._known: OrderedDict[tuple[str, int | None], tuple[NDArray[np.float32], int]] = OrderedDict()
        self._lock = Lock()

    @property
    def encoder(self) -> Encoder:
        """The encoder itself.

        :raises ConfigError: it cannot be loaded.
        :raises MissingExtra: a library is not installed.
        """
        with self._lock:
            if self._encoder is None:
                self._encoder = load_encoder(self._files, device=self._device, precision=self._precision)
            return self._encoder

    def encode(
        self, texts: Sequence[str], most: int | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The vectors of queries (float32), and how many tokens of each are not read (int64).

        :param most: how many tokens of each are read at most.
        """
        with self._lock:
            new = [text for text in dict.fromkeys(texts) if (text, most) not in self._known]
            found = {text: self._known[text, most] for text in texts if (text, most) in self._known}
            if new:
                vectors, beyond = self.encoder.encode_queries(new, most)
                found |= dict(zip(new, zip(vectors, beyond.tolist(), strict=True), strict=True))
                self._known.update({(text, most): of_text for text, of_text in found.items()})
                while len(self._known) > _KEPT_QUERIES:
                    self._known.popitem(last=False)
        size = self.encoder.dimensions if not found else len(found[texts[0]][0])
        vectors = np.array([found[text][0] for text in texts], np.float32).reshape(len(texts), size)
        return vectors, np.array([found[text][1] for text in texts], np.int64)


_loaded: OrderedDict[tuple[str, str, str, str], QueryEncoder] = OrderedDict()
_lock = Lock()


def query_encoder(files: EncoderFiles, device: str = "auto", precision: Precision = "auto") -> QueryEncoder:
    """The encoder of some files; the same for the same files, settings, device and precision."""
    key = (files.digest, repr(files.settings), device, precision)
    with _lock:
        if key not in _loaded:
            _loaded[key] = QueryEncoder(files, device, precision)
            while len(_loaded) > _KEPT_ENCODERS:
                _loaded.popitem(last=False)
        _loaded.move_to_end(key)
        return _loaded[key]
