"""How answers are sent: compressed where the client reads that, and without a body where only heads are asked for."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping

import zstandard

from porism.serve.web.guarding import App, Message, Receive, Scope, Send

MIN_BYTES = 1_000
"""Smaller bodies are not compressed."""

ENCODINGS: Mapping[str, Callable[[bytes], bytes]] = {
    "zstd": lambda body: zstandard.ZstdCompressor(level=3).compress(body),
    "gzip": lambda body: gzip.compress(body, 5, mtime=0),
}
"""Name of an encoding → how a body is encoded; the first that a client reads is taken."""

_COMPRESSED = ("text/", "application/json", "application/x-bibtex", "application/opensearch", "image/svg")


class Delivery:
    """An ASGI application around another one. Streams are sent as they come."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_head = scope["method"] == "HEAD"
        encoding = _encoding(dict(scope["headers"]).get(b"accept-encoding", b"").decode("latin-1"))
        start: Message | None = None

        async def deliver(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            body = b"" if message["type"] != "http.response.body" else message.get("body", b"")
            if start is not None:
                if not message.get("more_body", False):
                    body = _encoded(start, body, encoding)
                await send(start)
                start = None
            await send({**message, "body": b"" if is_head else body})

        if is_head:
            scope["method"] = "GET"
        try:
            await self._app(scope, receive, deliver)
        finally:
            if is_head:
                scope["method"] = "HEAD"


def _encoding(accepted: str) -> str | None:
    """The encoding for a client that accepts some, ``gzip, br;q=0``."""
    names = {
        name.strip().lower() for name, _, quality in (part.partition(";") for part in accepted.split(","))
        if quality.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    }
    return next((name for name in ENCODINGS if name in names), None)


def _encoded(start: Message, body: bytes, encoding: str | None) -> bytes:
    """The body of a whole answer, encoded where that is worth it; the head of the answer says so."""
    headers = dict(start["headers"])
    kind = headers.get(b"content-type", b"").decode("latin-1")
    if len(body) < MIN_BYTES or b"content-encoding" in headers or not kind.startswith(_COMPRESSED):
        return body
    headers[b"vary"] = b"Accept-Encoding" if b"vary" not in headers else headers[b"vary"] + b", Accept-Encoding"
    if encoding is not None:
        body = ENCODINGS[encoding](body)
        headers |= {b"content-encoding": encoding.encode(), b"content-length": str(len(body)).encode()}
    start["headers"] = list(headers.items())
    return body
