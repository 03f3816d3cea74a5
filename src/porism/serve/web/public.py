"""A public server: what it does not offer, the limits of its visitors, and how long others may keep its answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from porism.errors import ConfigError
from porism.serve.web.settings import Limits, WebSettings

PUBLIC_LIMITS = Limits(
    question_characters=2_000, formulas=8, symbols=2_000, results=50, body_bytes=100_000, seconds=5.0, at_once=32,
    per_minute=240,
)
"""The limits of a public server; requests for pages are counted too."""

SECONDS_TO_KEEP = {"/static/": 86_400, "/": 300}
"""Beginning of a path → so long browsers and proxies may keep an answer without asking again."""

NEVER_KEPT = ("/health", "/generation", "/api/v1/health")

CLOSED = ("/api/v1/shard/", "/metrics")
"""Paths that are not for visitors: they are answered to this machine alone, if no proxy has forwarded the request."""

ROBOTS = """User-agent: *
Disallow: /api/
Disallow: /search
Disallow: /why
Disallow: /similar
Disallow: /compare
Disallow: /occurrences
Disallow: /formula
Disallow: /export
Disallow: /preview
"""
"""What crawlers are told: the first page and documents may be read, pages that search are not."""

NO_ROBOTS = "User-agent: *\nDisallow: /\n"
"""The same of a server that is not public."""

_LOOPBACK = frozenset({"127.0.0.1", "::1", "testclient"})


def public_settings(settings: WebSettings) -> WebSettings:
    """The settings of a public server.

    :raises ConfigError: they let visitors write.
    """
    for option, given in (("--ingest", settings.ingest), ("--judge", settings.judgments)):
        if given is not None:
            raise ConfigError(
                f"--public serves pages that nobody can write to, and {option} lets requests write",
                hint=f"Leave out {option}, or serve it by another process on another port.",
            )
    limits = PUBLIC_LIMITS
    if settings.limits.per_minute:
        limits = replace(limits, per_minute=settings.limits.per_minute)
    return replace(settings, limits=limits)


def visitor(peer: str, headers: Mapping[bytes, bytes]) -> tuple[str, bool]:
    """The address of who asks, and whether that is a program on this machine itself.

    A proxy on this machine says in ``X-Forwarded-For`` whom it asks for; nobody else is believed.
    """
    forwarded = headers.get(b"x-forwarded-for", b"").decode("latin-1")
    if peer not in _LOOPBACK:
        return peer, False
    return forwarded.rpartition(",")[2].strip() or peer, not forwarded


def cache_control(path: str, status: int) -> bytes | None:
    """How long an answer may be kept, None where the answer itself says that."""
    if status not in (200, 304) or path.startswith(NEVER_KEPT):
        return None
    seconds = next(seconds for start, seconds in SECONDS_TO_KEEP.items() if path.startswith(start))
    return f"public, max-age={seconds}".encode()
