"""Every entry of a registry has a module of its folder, a row in the reference, and a test."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from case_tables import every_case

from porism.analysis.channels import TEXT_CHANNEL_NAMES, parse_channel
from porism.corpus.registry import READERS
from porism.formula.extractors import EXTRACTORS
from porism.lab.fusion import FUSIONS
from porism.lab.pairwise import AGGREGATIONS
from porism.lab.pairwise.sorting.registry import SORTINGS
from porism.lab.pipeline.rerankers.registry import RERANKERS
from porism.lab.train.pairs.registry import MINERS
from porism.retrieve.documents.model import COMPONENTS
from porism.retrieve.feedback.settings import FEEDBACK_METHODS
from porism.retrieve.weightings import WEIGHTINGS
from porism.search.models.registry import RETRIEVERS
from porism.vectors.embeddings.methods import METHODS

ROOT = Path(__file__).resolve().parents[1]


def _definition(entry: Any) -> Any:
    """A function or class itself, or the class of an object."""
    return entry if inspect.isclass(entry) or inspect.isfunction(entry) else type(entry)


def _extracts(entry: Any) -> Any:
    """The function or class that a term extractor calls."""
    function = entry.terms
    if function.__module__ != "porism.formula.extractors":
        return function
    called = (function.__globals__.get(name) for name in function.__code__.co_names)
    return next(_definition(one) for one in called if one is not None)


@dataclass(frozen=True)
class Registry:
    """A registry: its entries by name, what defines each, the folder (or folders) of its module, the page of the
    reference, and where tests are."""

    entries: Mapping[str, Any]
    definition: Callable[[Any], Any]
    folder: str | tuple[str, ...]
    page: str
    tests: str | tuple[str, ...]


REGISTRIES = {
    "readers": Registry(READERS, _definition, "corpus", "readers", "corpus"),
    "text channels": Registry(
        {name: parse_channel(name) for name in TEXT_CHANNEL_NAMES}, _definition, "analysis", "channels", "analysis"
    ),
    "formula channels": Registry(EXTRACTORS, _extracts, "formula.extractors", "channels", "formula"),
    "weightings": Registry(
        WEIGHTINGS, lambda entry: entry.make, "retrieve.weightings", "weightings", "retrieve/weightings"
    ),
    "retrievers": Registry(
        RETRIEVERS, lambda entry: entry.settings, ("retrieve", "search.models", "vectors", "serve.exported"),
        "retrievers", ("retrieve", "search/models", "vectors", "serve/exported"),
    ),
    "feedback methods": Registry(
        FEEDBACK_METHODS, _definition, "retrieve.feedback", "feedback", "retrieve/feedback"
    ),
    "score components": Registry(
        COMPONENTS, lambda entry: entry.settings, "retrieve.documents", "retrievers", "retrieve/documents"
    ),
    "embedding methods": Registry(
        METHODS, lambda entry: entry.settings, "vectors.embeddings", "embeddings", "vectors/embeddings"
    ),
    "fusions": Registry(FUSIONS, _definition, "lab.fusion", "fusion", "lab/fusion"),
    "aggregations": Registry(AGGREGATIONS, _definition, "lab.pairwise.aggregation", "pairwise", "lab/pairwise"),
    "sortings": Registry(SORTINGS, _definition, "lab.pairwise.sorting", "pairwise", "lab/pairwise"),
    "miners": Registry(MINERS, _definition, "lab.train.pairs", "training", "lab/train/pairs"),
    "rerankers": Registry(
        RERANKERS, lambda entry: getattr(entry, "cls", type(entry)), "lab.pipeline.rerankers", "rerankers",
        "lab/pipeline",
    ),
}
ENTRIES = [(kind, name) for kind, registry in REGISTRIES.items() for name in registry.entries]


def row_names(page: str) -> set[str]:
    """The names in the first cells of the tables of a page."""
    return set(re.findall(r"`([^`]+)`", "\n".join(re.findall(r"^\| (`[^|]+) \|", page, flags=re.M))))


def _each(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (value,)


def texts(tests: str | tuple[str, ...]) -> Iterator[str]:
    """The texts of the tests of folders, and of the helpers that they share."""
    files = [path for folder in _each(tests) for path in (ROOT / "tests" / folder).rglob("test_*.py")]
    for path in (*files, *(ROOT / "tests" / "helpers").glob("*.py")):
        yield path.read_text(encoding="utf-8")


@every_case(("kind", "name"), ENTRIES)
def test_an_entry_has_a_module_a_row_and_a_test(kind: str, name: str) -> None:
    registry = REGISTRIES[kind]
    definition = registry.definition(registry.entries[name])
    folders = tuple(f"porism.{folder}." for folder in _each(registry.folder))
    assert definition.__module__.startswith(folders), definition.__module__
    page = ROOT / "docs" / "reference" / f"{registry.page}.md"
    assert name in row_names(page.read_text(encoding="utf-8")), f"{page.name} has no row for {name}"
    named = re.compile(rf"""["'`]{re.escape(name)}["'`]|\b{definition.__name__}\b""")
    assert any(named.search(text) for text in texts(registry.tests)), f"no test in tests/{registry.tests} names {name}"


def test_the_page_of_readers_says_what_becomes_a_document() -> None:
    page = (ROOT / "docs" / "reference" / "readers.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| `")]
    said = {
        name: cells[-1].replace("`", "")
        for cells in rows if len(cells) == 3
        for name in re.findall(r"([^`, ]+)`", cells[0])
    }
    assert {name: said[name] for name in READERS} == {name: reader.document for name, reader in READERS.items()}


def test_missing_rows_are_noticed() -> None:
    assert row_names("| `a`, `b` | x |\n|---|---|\n| c `d` | y |\n| `e` | z |") == {"a", "b", "e"}


def test_definitions_are_found() -> None:
    assert _extracts(EXTRACTORS["values"]).__module__ == "porism.formula.extractors.values"
    assert _extracts(EXTRACTORS["tangent-l"]).__name__ == "TangentL"
    assert _definition(FUSIONS["rrf"]).__name__ == "RRF"
