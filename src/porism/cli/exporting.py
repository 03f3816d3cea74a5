"""``porism export``: an index in another search engine, for collections that outgrow a machine, or on a static site."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.options import index_option, quiet_option
from porism.cli.progress import compile_once, counting_progress
from porism.cli.settings_options import RenamedOption
from porism.cli.terminal import echo
from porism.errors import pluralise

if TYPE_CHECKING:
    from porism.serve.exported.exporting import ExportReport


@click.group()
def export() -> None:
    """Copy an index to another search engine, or to a static site.

    An engine finds the candidates of searches. The index is still needed: searches read scores, formulas and documents
    from it. A static site needs no more than the files that are written.
    """


@export.command(short_help="Write a search for a static site.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@index_option
@quiet_option
def static(folder: Path, index_path: Path, quiet: bool) -> None:
    """Write a search for a static site: words and formulas, by one script in the reader's browser, without a server.

    FOLDER gets the script search.js, the index in parts, and example.html, and is a part of the site then. Results link
    to the addresses that porism index --base-url noted. The same command writes a folder again after an update.
    """
    from porism.serve.site.exporting import export_site

    compile_once(quiet)
    with counting_progress("exporting", quiet) as progress:
        report = export_site(index_path, folder, on_progress=progress)
    if not quiet:
        files = pluralise(report.files, "file")
        echo(f"{pluralise(report.units, 'unit')} in {files}, {report.size / 1e6:,.1f} MB: {folder}")
        echo(f"Try it: open {folder / 'example.html'} in a browser.")


@export.command(short_help="Copy an index to Milvus.")
@index_option
@click.option("--model", "models", multiple=True, metavar="NAME|FILE.toml",
              help="A model that is searched there, of the kind lexical, dense or colbert, or a sum of these; "
                   "repeatable. Models of earlier exports stay; the first export takes default if none is named.")
@click.option("--formula-model", "formula_models", multiple=True, metavar="NAME|FILE.toml",
              help="A model of formulas that is searched there (default, tokens, paths, …); repeatable.")
@click.option("--uri", default="", metavar="ADDRESS",
              show_default="PORISM_MILVUS_URI, or http://127.0.0.1:19530",
              help="The server. PORISM_MILVUS_TOKEN is its token, or user:password.")
@click.option("--collection", default="porism", show_default=True, metavar="NAME",
              help="The beginning of the names of the collections; each index needs its own.")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), default=60.0, show_default=True,
              metavar="SECONDS", help="The longest time of a request.")
@click.option("--documents/--no-documents", default=None,
              show_default="as in the last export, or documents",
              help="Whether the server also gets the documents (id, title, text and metadata), for programs that query "
                   "it without Porism.")
@click.option("--refresh", is_flag=True,
              help="Compute all weights with the present statistics; with --model or --formula-model, forget the other "
                   "models.")
@click.option("--verify", is_flag=True, help="Compare all rows, even if none seems to be missing.")
@click.option("--recreate", "again", cls=RenamedOption, former=["--again"], is_flag=True,
              help="Remove the collections of this name, of any index, and begin anew.")
@quiet_option
def milvus(
    index_path: Path, models: Sequence[str], formula_models: Sequence[str], uri: str, collection: str, timeout: float,
    documents: bool | None, refresh: bool, verify: bool, again: bool, quiet: bool,
) -> None:
    """Copy an index to Milvus, so that porism search --model milvus finds its candidates there.

    Only changes since the last export are sent. After an interruption run the command again: what was sent is not sent
    twice, and all rows are compared. Mean lengths that are part of weights stay those of the first export until
    --refresh; this does not change results, but searches take longer. One process at a time exports an index to one
    place. Needs pip install 'porism[cluster]'.
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
        _echo_report(report, str(backend))


def _echo_report(report: ExportReport, where: str) -> None:
    """Prints what an export did."""
    echo(
        f"commit {report.generation} with {pluralise(report.documents, 'document')} in {report.seconds:.1f} s: {where}"
    )
    for name, table in report.tables.items():
        echo(f"  {name}: {pluralise(table.rows, 'row')}, {table.sent:,} sent, {table.removed:,} removed"
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
        echo("Search it: porism search 'words and $formula$' --model milvus")
    if report.formula_models:
        echo(r"Search it: porism search --formulas '\sum_{k=1}^n k^2' --model milvus")
