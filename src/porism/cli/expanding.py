"""``porism expand``: queries that a model writes for documents, added to an index or removed from it."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.indexes import reading_options
from porism.cli.options import device_option, index_option, jobs_option, problems_option, quiet_option
from porism.cli.progress import ProblemLog, compile_once, counting_progress
from porism.cli.settings_options import settings_options
from porism.cli.terminal import echo
from porism.errors import pluralise
from porism.lab.doc2query.settings import ExpansionSettings

if TYPE_CHECKING:
    from porism.corpus import ReaderOptions


@click.command()
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@index_option
@click.option("--model", "model_name", metavar="NAME|DIR",
              help="A sequence-to-sequence model of Hugging Face (T5, BART, …), by its name on the hub or its folder.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Append the queries to this file, a line of JSON for each document; one process at a time.")
@click.option("--apply", "apply_path", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Add the queries of FILE to the documents of the index, as the field expansion. Documents that have "
                   "changed since are reported and left alone.")
@click.option("--remove", is_flag=True, help="Remove all generated queries from the index.")
@settings_options(ExpansionSettings, names={"queries": "-n/--queries", "fields": "--read"},
                  former={"max_input_tokens": "--longest-input", "max_query_tokens": "--longest-query"},
                  metavars={"fields": "FIELD", "template": "TEXT"})
@click.option("--batch", type=int, default=16, show_default=True, metavar="N",
              help="Documents that the model reads at once.")
@device_option
@reading_options
@jobs_option("Processes that analyse documents with --apply and --remove.")
@problems_option
@quiet_option
def expand(
    sources: tuple[str, ...], index_path: Path, model_name: str | None, output: Path | None, apply_path: Path | None,
    remove: bool, settings: ExpansionSettings, batch: int, device: str, format_name: str | None,
    options: ReaderOptions, jobs: int | None, problems_path: str | None, quiet: bool,
) -> None:
    """Let a model write queries for documents (doc2query), add them to an index, or remove them from it.

    \b
    porism expand --index DIR --model M --output FILE    write queries for the documents of an index
    porism expand SOURCE... --model M --output FILE      write queries before documents are indexed
    porism expand --index DIR --apply FILE               add the queries to the index
    porism expand --index DIR --remove                   remove them from the index

    Run the same command after an interruption, or when documents were added or changed: it expands what is missing.
    Give sources the same options as porism index. Adding and removing are one commit each; without the queries,
    documents and answers are as before. Writing queries needs pip install 'porism[neural]'.
    """
    given = bool(model_name or output), apply_path is not None, remove
    if sum(given) != 1:
        raise click.UsageError("Give --model with --output, or --apply FILE, or --remove.")
    if (model_name is None) != (output is None):
        raise click.UsageError("Give --model and --output together.")
    if sources and not model_name:
        raise click.UsageError("--apply and --remove change an index; they take no SOURCE.")
    log = ProblemLog(problems_path)
    try:
        if model_name is None or output is None:
            _change(index_path, apply_path, jobs, log, quiet)
        else:
            _write(sources, index_path, model_name, output, batch, device, format_name, options, settings, log, quiet)
    finally:
        if not quiet:
            log.close()


def _write(
    sources: tuple[str, ...], index_path: Path, model_name: str, output: Path, batch: int, device: str,
    format_name: str | None, options: ReaderOptions, settings: ExpansionSettings, log: ProblemLog, quiet: bool,
) -> None:
    from porism.index import Snapshot
    from porism.index.documents import StoredDocuments
    from porism.lab.doc2query import QueryGenerator, expand_documents
    from porism.search.sources.indexing import read_documents

    if sources:
        documents = read_documents(sources, format=format_name, options=options, on_problem=log)
        total = 0
    else:
        snapshot = Snapshot.open(index_path)
        documents, total = iter(StoredDocuments(snapshot)), snapshot.doc_count
    generator = QueryGenerator(model_name, settings, device=device)
    with counting_progress("expanding", quiet) as progress:
        report = expand_documents(
            documents, generator, output, batch=batch, total=total, on_problem=log, on_progress=progress
        )
    if not quiet:
        rate = report.documents / max(report.seconds, 1e-9)
        before = f", {report.already:,} expanded before" if report.already else ""
        echo(
            f"{'Stopped. ' if report.interrupted else ''}{pluralise(report.documents, 'document')} expanded in "
            f"{report.seconds:.1f} s ({rate:,.1f} documents/s, {generator.device}){before}: {output}"
        )
        echo(
            "Run the same command to continue." if report.interrupted
            else f"Add them to the index: porism expand --apply {output} --index {index_path}"
        )
    if report.interrupted:
        raise click.exceptions.Exit(130)


def _change(index_path: Path, apply_path: Path | None, jobs: int | None, log: ProblemLog, quiet: bool) -> None:
    from porism.lab.doc2query import ExpansionFile, apply_expansions, remove_expansions

    with ExitStack() as stack:
        file = stack.enter_context(ExpansionFile(apply_path)) if apply_path is not None else None
        if index_path.exists():
            compile_once(quiet)
        progress = stack.enter_context(counting_progress("reading", quiet))
        if file is not None:
            report = apply_expansions(index_path, file, jobs=jobs, on_problem=log, on_progress=progress)
        else:
            report = remove_expansions(index_path, jobs=jobs, on_problem=log, on_progress=progress)
    if not quiet:
        change = "expanded" if apply_path is not None else "without generated queries"
        skipped = f", {report.skipped:,} skipped" if report.skipped else ""
        echo(f"{pluralise(report.changed, 'document')} {change}, {report.unchanged:,} unchanged{skipped}: {index_path}")
