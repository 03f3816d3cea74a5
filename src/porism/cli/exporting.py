"""``porism export``: an index in an engine outside Porism, for collections that outgrow a machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.first_use import compile_once
from porism.cli.options import index_option
from porism.cli.progress import counting_progress
from porism.cli.terminal import echo
from porism.errors import counted

if TYPE_CHECKING:
    from porism.serve.exported.exporting import ExportReport


@click.group()
def export() -> None:
    """Bring an index to an engine outside Porism, which then finds the candidates of searches.

    The index stays: searches read scores, formulas and documents from it.
    """


@export.command(short_help="Copy an index to Milvus.")
@index_option
@click.option("--model", "models", multiple=True, metavar="NAME|FILE.toml",
              help="A model that is to be searched there; repeatable. Those of the last export stay; a first one takes "
                   "the model default.")
@click.option("--formula-model", "formula_models", multiple=True, metavar="NAME|FILE.toml",
              help="A model of formulas that is to be searched there, too: default, tokens, paths, …; repeatable.")
@click.option("--uri", default="", metavar="ADDRESS", help="The server; PORISM_MILVUS_URI, or "
              "http://127.0.0.1:19530, if not given. PORISM_MILVUS_TOKEN is its token, or user:password.")
@click.option("--collection", default="porism", show_default=True, metavar="NAME",
              help="What the names of the collections begin with: one for each index.")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), default=60.0, show_default=True,
              metavar="SECONDS", help="The most that a request may take.")
@click.option("--documents/--no-documents", default=None,
              help="Whether the server gets the documents, too (id, title, text and metadata), for programs that ask "
                   "it alone. If neither is given it does, or as in the last export.")
@click.option("--refresh", is_flag=True,
              help="Compute all weights by the present statistics; with --model or --formula-model, forget the other "
                   "models.")
@click.option("--verify", is_flag=True, help="Compare all rows, also where nothing says that some are missing.")
@click.option("--again", is_flag=True, help="Remove these collections, of whichever index they are, and begin anew.")
@click.option("--quiet", is_flag=True, help="No progress bar and no summary.")
def milvus(
    index_path: Path, models: Sequence[str], formula_models: Sequence[str], uri: str, collection: str, timeout: float,
    documents: bool | None, refresh: bool, verify: bool, again: bool, quiet: bool,
) -> None:
    """Bring Milvus in step with an index, so that porism search --model milvus finds its candidates there.

    Only what has changed since the last export is sent. After an interruption run it again: what was sent is not sent
    twice. Mean lengths that are part of weights stay those of the first export until --refresh; results do not change
    by that, searches take longer. One process at a time exports an index to one place. Needs
    pip install 'porism[cluster]'.
    """
    from porism.serve.backends.milvus import MilvusBackend
    from porism.serve.exported.exporting import export_index

    compile_once(quiet)
    backend = MilvusBackend(uri, collection, timeout)
    try:
        with counting_progress("exporting", quiet) as progress:
            report = export_index(
                index_path, backend, models, formula_models=formula_models, refresh=refresh, verify=verify,
                again=again, documents=documents, on_progress=progress,
            )
    finally:
        backend.close()
    if not quiet:
        _tell(report, str(backend))


def _tell(report: ExportReport, where: str) -> None:
    """Prints what an export did."""
    echo(
        f"commit {report.generation} with {counted(report.documents, 'document')} in {report.seconds:.1f} s: {where}"
    )
    for name, table in report.tables.items():
        echo(f"  {name}: {counted(table.rows, 'row')}, {table.sent:,} sent, {table.removed:,} removed"
             f"{', all compared' if report.compared else ''}")
    if report.models:
        echo(f"models: {', '.join(report.models)}")
    if report.formula_models:
        echo(f"formula models: {', '.join(report.formula_models)}")
    frozen = {view.generation for view in report.views.values()}
    if report.views:
        commits = " and ".join(map(str, sorted(frozen)))
        behind = f", mean lengths off by {report.drift:.2%} at most (--refresh)" if report.drift else ""
        echo(f"statistics in weights: those of commit {commits}{behind}")
    if report.models:
        echo("Ask it: porism search 'words and $formula$' --model milvus")
    if report.formula_models:
        echo(r"Ask it: porism search --formulas '\sum_{k=1}^n k^2' --model milvus")
