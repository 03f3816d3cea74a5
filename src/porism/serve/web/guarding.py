"""What stands before every page: limits on requests, the names a server answers to, and headers of every answer."""

from __future__ import annotations

import asyncio
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

from porism.errors import ConfigError
from porism.serve.web.observing import Metrics, log_line
from porism.serve.web.problems import refusal
from porism.serve.web.public import CLOSED, cache_control, visitor
from porism.serve.web.settings import WebSettings

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_QUERY_STRING = 32_768
BODY_SECONDS = 15.0
"""A body must have come by then."""

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; frame-src {frames}; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)

EDITOR_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self' data:; "
    "img-src 'self' data:; connect-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)
"""The policy of the page of the visual editor, which runs alone in a frame: MathLive makes styles as it goes."""

EDITOR_PAGE = "/editor"

MCP_PATH = "/mcp"
_API_PATHS = ("/api/", MCP_PATH)
"""Where these begin, keys are demanded and requests counted."""

_NOT_LOGGED = ("/generation",)
"""Open pages ask for these every few seconds; they are counted and, unless they fail, not logged."""

_OPEN_API_PATHS = ("/api/v1/health",)


class Guard:
    """An ASGI application around another one: refuses what is too large, too much or for others; logs and counts."""

    def __init__(self, app: App, settings: WebSettings, metrics: Metrics) -> None:
        self._app, self._settings, self._metrics = app, settings, metrics
        files = [settings.keys, settings.ingest] if settings.keys else []
        self._keys = tuple(key for file in files if file for key in read_keys(file))
        self._buckets = Buckets(settings.limits.per_minute)
        self._open = 0
        frames = "'self'" if settings.editor else "'none'"
        self._csp = CSP.format(frames=frames).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one connection."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        request_id = uuid4().hex[:12]
        status = 500
        body = _Body(self._settings.limits.body_bytes)

        async def guarded_send(message: Message) -> None:
            nonlocal status
            if body.refused is not None and not body.answering:
                return  # what the application makes of a body that was cut off
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = [*message.get("headers", ()), *self._headers(scope["path"], request_id)]
                if self._settings.public and (kept := cache_control(scope["path"], status)):
                    headers = [header for header in headers if header[0] != b"cache-control"]
                    headers.append((b"cache-control", kept))
                message["headers"] = headers
            await send(message)

        self._open += 1
        self._metrics.open_requests(self._open)
        try:
            refused = self._refused(scope)
            if refused is not None:
                await _answer(guarded_send, *refused)
            else:
                await self._app(scope, body.limited(receive), guarded_send)
        except _CutOff:
            pass
        finally:
            if body.refused is not None:
                body.answering = True
                await _answer(guarded_send, *body.refused)
            self._open -= 1
            self._metrics.open_requests(self._open)
            self._observe(scope, status, time.perf_counter() - began, request_id)

    def _refused(self, scope: Scope) -> tuple[int, bytes] | None:
        """The answer to a request that is refused as it comes, None for others."""
        limits = self._settings.limits
        headers = dict(scope["headers"])
        if self._open > limits.at_once:
            return refusal(503, "busy", "Too many requests at once.", "Try again in a second.")
        if not self._is_known_host(headers.get(b"host", b"").decode("latin-1")):
            return refusal(
                421, "unknown_host", "This server does not answer to that name.",
                "Start it with --host-name NAME to allow it.",
            )
        if len(scope.get("query_string", b"")) > MAX_QUERY_STRING:
            return refusal(414, "too_long", f"The address has more than {MAX_QUERY_STRING:,} bytes.")
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > limits.body_bytes:
            return refusal(413, "too_large", f"The body has more than {limits.body_bytes:,} bytes.")
        if headers.get(b"content-encoding", b"identity") != b"identity":
            return refusal(415, "encoded", "Compressed bodies are not read.", "Send the body as it is.")
        origin = headers.get(b"origin", b"").decode("latin-1")
        if scope["path"].startswith(MCP_PATH) and not self._is_known_origin(origin):
            return refusal(403, "foreign_origin", "Pages of other sites may not use the tools of this server.")
        address = scope["client"][0] if scope.get("client") else ""
        if self._settings.public:
            address, is_direct = visitor(address, headers)
            if scope["path"].startswith(CLOSED) and not is_direct:
                return refusal(404, "not_found", "There is no such page.", "The API is described at /api.")
            if not scope["path"].startswith((*_API_PATHS, "/static/")) and (refused := self._refused_by_rate(address)):
                return refused
        if scope["path"].startswith(_API_PATHS) and scope["method"] != "OPTIONS":
            return self._refused_by_api(scope, headers, address)
        return None

    def _refused_by_api(
        self, scope: Scope, headers: dict[bytes, bytes], client: str
    ) -> tuple[int, bytes] | None:
        if self._keys and scope["path"] not in _OPEN_API_PATHS:
            given = headers.get(b"x-api-key", b"") or headers.get(b"authorization", b"").removeprefix(b"Bearer ")
            key = find_key(self._keys, given.decode("latin-1"))
            if key is None:
                if given:
                    return refusal(401, "wrong_key", "The key is not one of this server's.", "Was it copied whole?")
                return refusal(401, "no_key", "The API of this server needs a key.", "Send it as the header X-API-Key.")
            client = f"key {key.name}"
        return self._refused_by_rate(client)

    def _refused_by_rate(self, client: str) -> tuple[int, bytes] | None:
        if wait := self._buckets.wait(client):
            return refusal(429, "too_often", f"Too many requests. The next one is allowed in {wait:.0f} s.")
        return None

    def _is_known_origin(self, origin: str) -> bool:
        """Whether a request is from a page that may use the tools; programs that are no browsers name no origin."""
        scheme, separator, host = origin.partition("://")
        is_own = scheme in ("http", "https") and bool(separator) and self._is_known_host(host)
        return not origin or origin in self._settings.origins or is_own

    def _is_known_host(self, host: str) -> bool:
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        return "*" in self._settings.hosts or name.lower() in self._settings.hosts

    def _headers(self, path: str, request_id: str) -> list[tuple[bytes, bytes]]:
        is_editor = path == EDITOR_PAGE
        return [
            (b"content-security-policy", EDITOR_CSP.encode() if is_editor else self._csp),
            (b"x-content-type-options", b"nosniff"),
            (b"x-frame-options", b"SAMEORIGIN" if is_editor else b"DENY"),
            (b"referrer-policy", b"same-origin"),
            (b"cross-origin-opener-policy", b"same-origin"),
            (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
            (b"x-request-id", request_id.encode()),
        ]

    def _observe(self, scope: Scope, status: int, seconds: float, request_id: str) -> None:
        route = getattr(scope.get("route"), "path", "other")
        self._metrics.request(route, scope["method"], status, seconds)
        if self._settings.logs and not (status == 200 and scope["path"] in _NOT_LOGGED):
            log_line(
                event="request", id=request_id, method=scope["method"], path=scope["path"][:200], status=status,
                ms=round(seconds * 1000, 1), client=scope["client"][0] if scope.get("client") else None,
            )


class _CutOff(Exception):
    """A body is too large, or comes too slowly."""


class _Body:
    """The body of one request; ``refused`` is the answer where it is too large or too slow."""

    def __init__(self, most: int) -> None:
        self._most = self._left = most
        self.refused: tuple[int, bytes] | None = None
        self.answering = False

    def limited(self, receive: Receive) -> Receive:
        """``receive``, with an end to bodies that are too large or come too slowly."""
        end = time.monotonic() + BODY_SECONDS
        done = False

        async def limited() -> Message:
            nonlocal done
            if done:
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), max(0.01, end - time.monotonic()))
            except TimeoutError:
                self.refused = refusal(408, "too_slow", "The body of the request did not come in time.")
                raise _CutOff from None
            self._left -= len(message.get("body", b""))
            done = not message.get("more_body", False)
            if self._left < 0:
                self.refused = refusal(413, "too_large", f"The body has more than {self._most:,} bytes.")
                raise _CutOff
            return message

        return limited


async def _answer(send: Send, status: int, body: bytes) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status in (429, 503):
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


_MAX_CLIENTS = 10_000


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key by its name and the SHA-256 of its secret (hexadecimal); the secret itself is kept nowhere."""

    name: str
    digest: str


def new_key(name: str) -> tuple[str, str]:
    """A fresh secret of 256 random bits, and the line for the file of keys."""
    secret = f"porism_{secrets.token_urlsafe(32)}"
    return secret, f"{name} {_digest(secret)}"


def read_keys(path: Path) -> tuple[ApiKey, ...]:
    """The keys of a file: a name and a SHA-256 a line; lines that begin with ``#`` are comments.

    :raises ConfigError: the file cannot be read, or a line is of another form.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("the file of API keys cannot be read", where=str(path)) from error
    keys = []
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        if len(fields) != 2 or len(fields[1]) != 64 or set(fields[1]) - set("0123456789abcdef"):
            raise ConfigError(
                "a line is not a name and a SHA-256", where=f"{path}:{number}",
                hint="Make lines with: porism serve --new-key NAME",
            )
        keys.append(ApiKey(fields[0], fields[1]))
    return tuple(keys)


def find_key(keys: tuple[ApiKey, ...], secret: str) -> ApiKey | None:
    """The key of a secret. All keys are compared, each in constant time, so that timing tells nothing."""
    digest = _digest(secret)
    match = None
    for key in keys:
        if hmac.compare_digest(key.digest, digest):
            match = key
    return match


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


class Buckets:
    """A bucket of requests for each client, which gets ``per_minute`` a minute; those of idle clients go first."""

    def __init__(self, per_minute: int) -> None:
        self.per_minute = per_minute
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def wait(self, client: str, now: float | None = None) -> float:
        """Seconds that a client must wait, 0 where its request is allowed, which takes one from its bucket."""
        if not self.per_minute:
            return 0.0
        moment = time.monotonic() if now is None else now
        rate = self.per_minute / 60
        most = max(1.0, self.per_minute / 4)
        with self._lock:
            left, last = self._buckets.pop(client, (most, moment))
            left = min(most, left + (moment - last) * rate)
            allowed = left >= 1
            self._buckets[client] = (left - 1 if allowed else left, moment)
            while len(self._buckets) > _MAX_CLIENTS:
                self._buckets.popitem(last=False)
        return 0.0 if allowed else (1 - left) / rate
