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

__version__ = "0.1.0"

if TYPE_CHECKING:
    from porism.analysis import AnalysisConfig
    from porism.checking import CheckReport, check_index
    from porism.corpus import ReaderOptions, open_source, read_qrels, read_topics
    from porism.errors import PorismError, Problem
    from porism.evaluate import compare_runs, evaluate_run
    from porism.explanation import Explanation
    from porism.formula import operator_tree, parse_latex, parse_mathml, to_latex, to_mathml, to_unicode
    from porism.formula_places import Place
    from porism.formula_searching import FormulaHit
    from porism.fusion import fuse
    from porism.highlighting import highlight_mathml, highlight_text
    from porism.hits import Hit
    from porism.index import IndexWriter
    from porism.index import info as index_info
    from porism.indexing import index_documents
    from porism.provenance import Provenance
    from porism.recipes import run_recipe
    from porism.retrieve import ChannelSettings, SearchModel
    from porism.retrieve.matches import FormulaMatch
    from porism.run import Run
    from porism.searching import Index, open_index
    from porism.types import Content, Document, Formula, Query
    from porism.updating import index_sources, update_index

_HOME = {
    "AnalysisConfig": "analysis",
    "ChannelSettings": "retrieve",
    "CheckReport": "checking",
    "Content": "types",
    "Document": "types",
    "Explanation": "explanation",
    "Formula": "types",
    "FormulaHit": "formula_searching",
    "FormulaMatch": "retrieve.matches",
    "Hit": "hits",
    "Index": "searching",
    "IndexWriter": "index",
    "Place": "formula_places",
    "PorismError": "errors",
    "Problem": "errors",
    "Provenance": "provenance",
    "Query": "types",
    "ReaderOptions": "corpus",
    "Run": "run",
    "SearchModel": "retrieve",
    "check_index": "checking",
    "compare_runs": "evaluate",
    "evaluate_run": "evaluate",
    "fuse": "fusion",
    "highlight_mathml": "highlighting",
    "highlight_text": "highlighting",
    "index_documents": "indexing",
    "index_info": "index",
    "index_sources": "updating",
    "open_index": "searching",
    "open_source": "corpus",
    "operator_tree": "formula",
    "parse_latex": "formula",
    "parse_mathml": "formula",
    "read_qrels": "corpus",
    "read_topics": "corpus",
    "run_recipe": "recipes",
    "to_latex": "formula",
    "to_mathml": "formula",
    "to_unicode": "formula",
    "update_index": "updating",
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
