"""Encoders of the tokens of queries, which are loaded once a process, whichever indexes and models use them."""

from __future__ import annotations

from collections import OrderedDict

from porism.system.concurrency.locks import Lock
from porism.vectors.neural.encoder_files import EncoderFiles
from porism.vectors.neural.encoder_model import Precision
from porism.vectors.neural.token_encoder import QueryTokens, TokenEncoder, load_token_encoder

_KEPT_ENCODERS = 4
_KEPT_QUERIES = 1_024


class TokenQueries:
    """Tokens of queries, the last ones kept; loads its model when it is first used. Safe to share between threads."""

    def __init__(self, files: EncoderFiles, device: str, precision: Precision) -> None:
        self._files, self._device, self._precision = files, device, precision
        self._encoder: TokenEncoder | None = None
        self._known: OrderedDict[str, QueryTokens] = OrderedDict()
        self._lock = Lock()

    def encode(self, text: str) -> QueryTokens:
        """The tokens of a query.

        :raises ConfigError: the encoder cannot be loaded.
        :raises MissingExtra: a library is not installed.
        """
        with self._lock:
            if text not in self._known:
                self._known[text] = self._loaded().encode_queries([text])[0]
                if len(self._known) > _KEPT_QUERIES:
                    self._known.popitem(last=False)
            self._known.move_to_end(text)
            return self._known[text]

    def document_places(self, text: str) -> list[tuple[str, tuple[int, int]]]:
        """The tokens of a document and their places (:meth:`TokenEncoder.document_places`)."""
        with self._lock:
            return self._loaded().document_places(text)

    def query_length(self) -> int:
        """How many tokens of a query the encoder reads."""
        with self._lock:
            return self._loaded().query_length

    def _loaded(self) -> TokenEncoder:
        if self._encoder is None:
            self._encoder = load_token_encoder(self._files, device=self._device, precision=self._precision)
        return self._encoder


_opened: OrderedDict[tuple[str, str, str, str], TokenQueries] = OrderedDict()
_lock = Lock()


def token_queries(files: EncoderFiles, device: str, precision: Precision) -> TokenQueries:
    """The encoder of some files; the same for the same files, settings, device and precision."""
    key = (files.digest, repr(files.settings), device, precision)
    with _lock:
        if key not in _opened:
            _opened[key] = TokenQueries(files, device, precision)
            if len(_opened) > _KEPT_ENCODERS:
                _opened.popitem(last=False)
        _opened.move_to_end(key)
        return _opened[key]
