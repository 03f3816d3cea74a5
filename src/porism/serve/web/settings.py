"""What a server serves and which limits it keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from porism.settings import setting

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
    """The settings of a server: indexes by name (the first is the default), and what it offers.

    ``servers`` are addresses of indexes on other servers, which are searched together with those here under the name
    ``all``. ``hosts`` are names by which the server may be called (``*`` allows any), and ``threads`` the searches that
    run at once.
    """

    indexes: Mapping[str, Path]
    limits: Limits = field(default_factory=Limits)
    title: str = setting("Porism", "The name on the pages.")
    model: str = setting("default", "The model of document search: by name or as a file of settings.")
    formula_model: str | None = setting(None, "The same for formula search.")
    offered_models: tuple[str, ...] = setting(
        (), "A model that a search for documents can choose in place of the first one; repeatable."
    )
    rerankers: tuple[str, ...] = setting(
        (), "A reranker that a search can choose for a better order, as porism search --rerank; repeatable."
    )
    editor: Path | None = setting(None, "The folder of the npm package mathlive, for a visual formula editor.")
    keys: Path | None = setting(
        None, "Answer API requests with a key of this file only; porism serve --new-key makes one. It is sent as "
        "X-API-Key, or as Authorization: Bearer KEY."
    )
    ingest: Path | None = setting(None, "Let requests with a key of this file add and delete documents.")
    judgments: Path | None = setting(
        None, "Add pages to judge results, and keep questions and judgments in this folder."
    )
    judged_models: tuple[str, ...] = setting(
        JUDGED_MODELS, "A model whose results are judged; repeatable.", unset="default and plain"
    )
    runs: tuple[Path, ...] = setting(
        (), "Add pages of these runs, topic by topic; repeatable. They need judgments: --qrels or --judge."
    )
    qrels: Path | None = setting(None, "The judgments of the runs, those of --judge if not given.")
    topics: Path | None = setting(
        None, "The topics of --qrels: their texts are shown, and results of a search for one marked with grades."
    )
    public: bool = setting(
        False, "Serve visitors whom you do not know: nothing can be written, requests of each are limited, answers may "
        "be kept by proxies, and files of this machine are not named. Put a proxy before it."
    )
    origins: tuple[str, ...] = setting((), "An origin whose pages may call the API (CORS); repeatable.")
    servers: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "[::1]")
    threads: int = 4
    logs: bool = True
