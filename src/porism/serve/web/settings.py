"""What a server serves and which limits it keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

JUDGED_MODELS = ("default", "plain")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may ask for; what is longer or larger is refused with a message that says so."""

    question_characters: int = 4_000
    """Longer questions are refused."""
    formulas: int = 12
    """Formulas of one question."""
    symbols: int = 4_000
    """Symbols of all its formulas together, after macros are expanded."""
    filters: int = 32
    """Values of metadata that one search may be restricted to."""
    results: int = 100
    """Results of one page."""
    depth: int = 1_000
    """Results that can be paged through; what is counted and what facets count, too."""
    body_bytes: int = 1_000_000
    """A larger body of a request is refused."""
    seconds: float = 10.0
    """Time budget of one request: what is not made by then (explanations, alignments) is left out, and the answer is
    marked as partial."""
    alignment_seconds: float = 0.12
    """Time for marking symbols within the formulas of one page; formulas beyond it are marked as wholes."""
    server_seconds: float = 5.0
    """How long an index on another server may take for one request; without it the answer is marked as partial."""
    at_once: int = 64
    """Requests that are answered or wait at once; more are refused with 503."""
    per_minute: int = 0
    """Requests to the API of one client (key or address) in a minute; 0 for any number."""


@dataclass(frozen=True, slots=True)
class WebSettings:
    """The settings of a server: indexes by name (the first is the default), and what it offers."""

    indexes: Mapping[str, Path]
    limits: Limits = field(default_factory=Limits)
    title: str = "Porism"
    model: str = "default"
    formula_model: str | None = None
    rerankers: tuple[str, ...] = ()
    """The rerankers that a search can name, as ``porism search --rerank`` has them."""
    editor: Path | None = None
    """The folder of the npm package ``mathlive``, for the visual formula editor."""
    keys: Path | None = None
    """A file of hashed API keys; with one the API answers only requests that have a key."""
    ingest: Path | None = None
    """A file of hashed API keys that may change documents; without it nobody may."""
    judgments: Path | None = None
    """The folder of questions and judgments that the laboratory pages show and change; without it there are none."""
    judged_models: tuple[str, ...] = JUDGED_MODELS
    """The models whose results are pooled for judging and compared."""
    runs: tuple[Path, ...] = ()
    """Files and folders of runs that the laboratory pages show."""
    qrels: Path | None = None
    """The judgments that runs are scored by, and known questions marked with; those of ``judgments`` without it."""
    topics: Path | None = None
    """The topics of ``qrels``, for their texts."""
    origins: tuple[str, ...] = ()
    """Origins whose pages may call the API (CORS)."""
    servers: tuple[str, ...] = ()
    """Addresses of indexes on other servers, which are searched together with those here under the name ``all``."""
    hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "[::1]")
    """Names by which the server may be called; a request for another host is refused. ``*`` allows any."""
    threads: int = 4
    """Searches that run at once."""
    logs: bool = True
    """Whether each request is logged, as a line of JSON on standard error."""
