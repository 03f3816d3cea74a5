"""Porism finds mathematics: search by words and formulas together.

::

    import porism

    porism.index_sources(["notes/"], "notes.index")
    for hit in porism.open_index("notes.index").search(r"why does $\\sum 1/n^2$ converge?", k=5):
        print(hit.score, hit.title, hit.snippet)

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from porism.version import __version__

if TYPE_CHECKING:
    from porism.analysis.analyzer import AnalysisConfig
    from porism.corpus import ReaderOptions, open_source, read_qrels, read_topics
    from porism.errors import PorismError, Problem
    from porism.explanation import Explanation
    from porism.formula import operator_tree, parse_latex, parse_mathml, to_latex, to_mathml, to_unicode
    from porism.index import IndexWriter
    from porism.index import info as index_info
    from porism.lab.evaluate import compare_runs, evaluate_run
    from porism.lab.fusion import fuse
    from porism.lab.recipes import run_recipe
    from porism.retrieve import ChannelSettings, SearchModel
    from porism.retrieve.formulas.matches import FormulaMatch
    from porism.runs.provenance import Provenance
    from porism.runs.run import Run
    from porism.search.answers import FormulaHit, Hit
    from porism.search.checking import CheckReport, check_index
    from porism.search.formula_occurrences import Place
    from porism.search.highlighting import highlight_mathml, highlight_text
    from porism.search.index import Index, open_index
    from porism.search.sources.indexing import index_documents
    from porism.search.sources.updating import index_sources, update_index
    from porism.serve.web.remote_shards import open_shards
    from porism.types import Content, Document, Formula, Query

_HOME = {
    "AnalysisConfig": "analysis.analyzer",
    "ChannelSettings": "retrieve",
    "CheckReport": "search.checking",
    "Content": "types",
    "Document": "types",
    "Explanation": "explanation",
    "Formula": "types",
    "FormulaHit": "search.answers",
    "FormulaMatch": "retrieve.formulas.matches",
    "Hit": "search.answers",
    "Index": "search.index",
    "IndexWriter": "index",
    "Place": "search.formula_occurrences",
    "PorismError": "errors",
    "Problem": "errors",
    "Provenance": "runs.provenance",
    "Query": "types",
    "ReaderOptions": "corpus",
    "Run": "runs.run",
    "SearchModel": "retrieve",
    "check_index": "search.checking",
    "compare_runs": "lab.evaluate",
    "evaluate_run": "lab.evaluate",
    "fuse": "lab.fusion",
    "highlight_mathml": "search.highlighting",
    "highlight_text": "search.highlighting",
    "index_documents": "search.sources.indexing",
    "index_info": "index",
    "index_sources": "search.sources.updating",
    "open_index": "search.index",
    "open_shards": "serve.web.remote_shards",
    "open_source": "corpus",
    "operator_tree": "formula",
    "parse_latex": "formula",
    "parse_mathml": "formula",
    "read_qrels": "corpus",
    "read_topics": "corpus",
    "run_recipe": "lab.recipes",
    "to_latex": "formula",
    "to_mathml": "formula",
    "to_unicode": "formula",
    "update_index": "search.sources.updating",
}

_NAME_THERE = {"index_info": "info"}

__all__ = [
    "AnalysisConfig",
    "ChannelSettings",
    "CheckReport",
    "Content",
    "Document",
    "Explanation",
    "Formula",
    "FormulaHit",
    "FormulaMatch",
    "Hit",
    "Index",
    "IndexWriter",
    "Place",
    "PorismError",
    "Problem",
    "Provenance",
    "Query",
    "ReaderOptions",
    "Run",
    "SearchModel",
    "__version__",
    "check_index",
    "compare_runs",
    "evaluate_run",
    "fuse",
    "highlight_mathml",
    "highlight_text",
    "index_documents",
    "index_info",
    "index_sources",
    "open_index",
    "open_shards",
    "open_source",
    "operator_tree",
    "parse_latex",
    "parse_mathml",
    "read_qrels",
    "read_topics",
    "run_recipe",
    "to_latex",
    "to_mathml",
    "to_unicode",
    "update_index",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(f"porism.{_HOME[name]}"), _NAME_THERE.get(name, name))
        globals()[name] = value
        return value
    raise AttributeError(f"module 'porism' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
