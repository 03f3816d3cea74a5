"""``porism index``, ``update``, ``delete`` and ``merge``: the life of an index."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from porism.cli.formats import left_out_line, print_formats
from porism.cli.informing import language_line
from porism.cli.options import all_options, cluster_option, index_option, jobs_option, problems_option, quiet_option
from porism.cli.progress import ProblemLog, compile_once, counting_progress, indexing_progress, one_line
from porism.cli.settings_options import RenamedOption, given_settings, settings_options
from porism.cli.terminal import echo
from porism.corpus.base import ReaderOptions
from porism.errors import pluralise

if TYPE_CHECKING:
    from porism.analysis.analyzer import AnalysisConfig
    from porism.corpus import ReaderOptions
    from porism.errors import PorismError, Problem
    from porism.retrieve.meaning.vectors import MeaningChoice
    from porism.search.sources.update_run import UpdateReport


def reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options to a command, which gets ``format_name`` and ``options`` (a ReaderOptions)."""
    function = settings_options(
        ReaderOptions, into="options", omit=("collection",),
        names={"fields": "--field", "metadata_fields": "--metadata-field"},
        metavars={"fields": "NAME=KEY", "id_field": "KEY", "metadata_fields": "KEY", "encoding": "NAME",
                  "max_unpacked": "BYTES", "base_url": "URL"},
    )(function)
    return click.option("--format", "format_name", metavar="NAME", show_default="detected from names and content",
                        help="The format of the sources.")(function)


_update_options = all_options(
    click.option("--checksum", is_flag=True,
                 help="Compare the content of files even where size and time are unchanged."),
    click.option("--all", "read_all", is_flag=True, help="Read all files again, even unchanged ones."),
    click.option("--meaning", type=click.Choice(["auto", "general", "off"]),
                 help="Vectors of documents, by which search finds what is said in other words: learnt from the "
                      "documents, if that helps (auto, as a new index has it); by a general table; or none (off)."),
    jobs_option("Processes that analyse documents."), cluster_option, problems_option, quiet_option,
)
"""The options of commands that read sources."""


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@index_option
@reading_options
@click.option("--channels", metavar="NAMES",
              help="Channels of a new index, separated by commas, or sets of them: default and all. If none reads the "
                   "text, the index gets those of default; the same holds for formulas.")
@click.option("--tokenizer", "tokenizers", multiple=True, metavar="NAME=FILE",
              help="Also the channel bpe:NAME, the tokens of a tokenizer that porism train tokenizer wrote, which is "
                   "copied into the index; repeatable.")
@click.option("--language", metavar="NAMES",
              show_default="detected for each document",
              help="The language of a new index, by name or code (fr); several between commas, of which each "
                   "document's is detected; or none, for words without stems.")
@click.option("--expansions", "expansions_path", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Add the queries that porism expand wrote to the documents, as the field expansion.")
@click.option("--encoder", "encoder_model", cls=RenamedOption, former=["--neural"], metavar="MODEL",
              help="Also encode the documents by MODEL, a folder or name, to search by meaning (porism encode).")
@click.option("--formats", is_flag=True, is_eager=True, expose_value=False, callback=print_formats,
              help="List the formats, the endings of their files, and the extras that some need.")
@_update_options
def index(
    sources: tuple[str, ...], index_path: Path, format_name: str | None, options: ReaderOptions, channels: str | None,
    tokenizers: tuple[str, ...], language: str | None, expansions_path: Path | None, encoder_model: str | None,
    checksum: bool, read_all: bool, meaning: MeaningChoice | None, jobs: int | None, cluster: str | None,
    problems_path: str | None, quiet: bool,
) -> None:
    """Add files or folders to an index, or bring them up to date in it.

    SOURCE is a file or folder, an archive, or a folder that mixes all formats: collections of posts, tables, LaTeX,
    Markdown, notebooks, HTML, PDF, Word, wikis, lists of references, notes, formal libraries, plain text. The index is
    made if needed, and remembers its sources and how they were read. Of a source that it has, or a path inside one,
    only files that have changed are read, and documents that are gone are deleted. Ctrl-C keeps the documents read so
    far; the same command continues.

    The formats, the endings of their files and the extras that some need: porism index --formats. The summary says how
    many other files of a folder were left out.
    """
    from porism.search.sources.updating import index_sources

    config = _config(channels, language, tokenizers) if channels or language or tokenizers else None
    if encoder_model:
        from porism.vectors.neural.encoder_model import fetched_encoder

        fetched_encoder(encoder_model, index_path)  # before anything is indexed
    log = ProblemLog(problems_path)
    change = None
    if expansions_path:
        from porism.lab.doc2query import DocumentExpander, ExpansionFile

        change = DocumentExpander(ExpansionFile(expansions_path), log)
    try:
        if all(Path(source).exists() for source in sources):
            compile_once(quiet)
        with indexing_progress(quiet) as progress:
            report = index_sources(
                sources, index_path, format=format_name, options=given_settings(options, "options") or None,
                config=config, jobs=jobs, change=change, on_problem=log, on_progress=progress, checksum=checksum,
                read_all=read_all, cluster=cluster, meaning=meaning,
            )
    finally:
        if not quiet:
            log.close()
    _echo_report(report, quiet, "run the same command", cluster)
    if encoder_model:
        from porism.cli.encoding import encode_and_report

        encode_and_report(index_path, encoder_model, quiet)


@click.command()
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@index_option
@click.option("--remove-missing", is_flag=True,
              help="Delete the documents of missing sources, such as folders that were deleted.")
@_update_options
def update(
    sources: tuple[str, ...], index_path: Path, checksum: bool, read_all: bool, meaning: MeaningChoice | None,
    remove_missing: bool, jobs: int | None, cluster: str | None, problems_path: str | None, quiet: bool,
) -> None:
    """Bring an index up to date with its sources.

    Reads the files of its sources that have changed, with the options that they were indexed with, and deletes
    documents that are gone. SOURCE is the name or path of a source, or a path inside one; all sources if none is given.
    The summary counts documents added, changed and removed: +3 ~2 −1. A missing source keeps its documents; it is
    named, and the command exits with 1.
    """
    from porism.index.manifest import read_manifest
    from porism.search.sources.updating import update_index

    read_manifest(index_path)  # before anything is compiled
    log = ProblemLog(problems_path)
    try:
        compile_once(quiet)
        with indexing_progress(quiet) as progress:
            report = update_index(
                index_path, sources, jobs=jobs, on_problem=log, on_progress=progress, checksum=checksum,
                read_all=read_all, remove_missing=remove_missing, cluster=cluster, meaning=meaning,
            )
    finally:
        if not quiet:
            log.close()
    _echo_report(report, quiet, f"run porism update --index {report.path}", cluster)


def _echo_report(report: UpdateReport, quiet: bool, again: str, cluster: str | None) -> None:
    """Prints the summary of an update; exits with 130 after an interruption, and with 1 if a source is missing."""
    if not quiet and report.interrupted and cluster is not None:
        echo(f"Stopped. Nothing has changed: {report.path}\nTo begin again, {again}.")
    elif not quiet:
        for note in report.notes:
            echo(f"Note: {note}.")
        stopped = "Stopped. " if report.interrupted else ""
        if report.new:
            rate = report.documents / max(report.seconds, 1e-9)
            formulas = pluralise(report.formulas, "formula")
            echo(
                f"{stopped}{pluralise(report.documents, 'document')} with {formulas} indexed in "
                f"{report.seconds:.1f} s ({rate:,.0f} documents/s): {report.path}"
            )
        else:
            failed = f", {report.files_failed:,} not readable" if report.files_failed else ""
            echo(
                f"{stopped}+{report.added:,} ~{report.changed:,} −{report.removed:,} documents in "
                f"{report.seconds:.1f} s ({pluralise(report.files_read, 'file')} read, "
                f"{report.files_unchanged:,} unchanged{failed}): {report.path}"
            )
        echo(language_line(report.language_origins))
        if report.left_out or report.lacking:
            echo(left_out_line(report.left_out, report.lacking))
        if report.interrupted:
            echo(f"The index has the documents read so far, and can be searched; {again} to complete it.")
        elif report.new:
            echo(f"Search it: porism search 'words and $formula$' --index {report.path}")
    if report.interrupted:
        raise click.exceptions.Exit(130)
    if report.unreachable:
        echo(
            f"Missing: {', '.join(report.unreachable)}. The documents stay. porism update --remove-missing deletes "
            "them; porism index PATH names the place of a source that has moved.", err=True,
        )
        raise click.exceptions.Exit(1)


def _config(channels: str | None, language: str | None, tokenizers: Sequence[str]) -> AnalysisConfig:
    """The configuration of a new index."""
    from porism.analysis.analyzer import AnalysisConfig
    from porism.analysis.languages import AUTO
    from porism.errors import ConfigError

    files: dict[str, str] = {}
    for pair in tokenizers:
        name, separator, file = pair.partition("=")
        if not (name and separator and file):
            raise ConfigError(f"the tokenizer {pair!r} is not of the form NAME=FILE", hint="For example: m=m.json.")
        if name in files:
            raise ConfigError(f"there are two tokenizers {name!r}", hint="Choose another name for one.")
        files[name] = file
    names = [name.strip() for name in (channels or "").split(",") if name.strip()]
    return AnalysisConfig.named(names, tokenizers=files, language=language or AUTO)


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@index_option
@click.option("--filter", "filters", multiple=True, metavar="KEY=VALUE",
              help="Delete all documents with this metadata.")
@click.option("--source", "source_names", multiple=True, metavar="NAME",
              help="Delete all documents of a source, and forget the source.")
def delete(ids: tuple[str, ...], index_path: Path, filters: tuple[str, ...], source_names: tuple[str, ...]) -> None:
    """Delete documents from an index, by id, by metadata or by source.

    The index is not rebuilt. A deleted document of a remaining source comes back when its file changes.
    """
    from porism.errors import QueryError
    from porism.index import IndexWriter
    from porism.search.index import filters_from_strings

    if not ids and not filters and not source_names:
        raise QueryError("no documents to delete are given", hint="Give ids, --filter KEY=VALUE, or --source NAME.")
    from_sources = 0
    if source_names:
        from porism.search.sources.updating import remove_source

        compile_once()
        from_sources = sum(remove_source(index_path, name, on_problem=_note) for name in source_names)
    with IndexWriter(index_path, create=False) as writer:
        compile_once()
        count = writer.delete(ids) if ids else 0
        for key, values in filters_from_strings(filters).items():
            count += sum(writer.delete_matching(key, value) for value in values)
        writer.commit()
    echo(f"{pluralise(count + from_sources, 'document')} deleted")
    if count < len(ids):
        missing = len(ids) - count
        echo(f"{pluralise(missing, 'id')} {'is' if missing == 1 else 'are'} not in the index", err=True)


@click.command()
@index_option
def merge(index_path: Path) -> None:
    """Merge the segments of an index into one.

    This frees the space of deleted documents, and makes searches a little faster. Commands that add many documents
    merge segments by themselves.
    """
    from porism.index import IndexWriter
    from porism.search.sources.indexing import prepare_for_searches

    with IndexWriter(index_path, create=False) as writer:
        compile_once()
        with counting_progress("merging", quiet=False) as progress:
            writer.merge(on_step=progress)
        writer.commit(before_publish=partial(prepare_for_searches, on_problem=_note))
    echo(f"merged: {index_path}")


@click.command()
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@index_option
@jobs_option("Processes that analyse documents.")
@click.option("--quiet", is_flag=True, help="Print errors only.")
def watch(sources: tuple[str, ...], index_path: Path, jobs: int | None, quiet: bool) -> None:
    """Keep an index in step with its sources as they change.

    SOURCE is a file or folder, which is added to the index first, as porism index does; without one, the sources of the
    index are watched. Each change is one commit, and porism serve shows it within a second. Ctrl-C ends the watch.
    Needs pip install 'porism[web]'.
    """
    from porism.extras import need
    from porism.index.manifest import read_manifest
    from porism.search.sources.updating import index_sources
    from porism.search.sources.watching import watch_index

    need("watchfiles", "web", "watching files")
    if sources:
        log = ProblemLog()
        compile_once(quiet)
        with indexing_progress(quiet) as progress:
            report = index_sources(sources, index_path, jobs=jobs, on_problem=log, on_progress=progress)
        if not quiet:
            log.close()
            echo(_summary(report))
        if report.interrupted:
            raise click.exceptions.Exit(130)
    else:
        read_manifest(index_path)  # before anything is compiled
        compile_once(quiet)
    if not quiet:
        echo(f"Watching the sources of {index_path}. Ctrl-C ends it.")

    def tell(report: UpdateReport) -> None:
        if not quiet:
            echo(f"{_clock()}  {_summary(report)}")
        if report.unreachable:
            echo(f"{_clock()}  Not there: {', '.join(report.unreachable)}. The documents stay.", err=True)

    def warn(error: PorismError) -> None:
        echo(f"{_clock()}  Error: {error}", err=True)

    def note(problem: Problem) -> None:
        if not quiet:
            echo(f"{_clock()}  {one_line(problem)}", err=True)

    watch_index(index_path, jobs=jobs, on_update=tell, on_error=warn, on_problem=note)
    if not quiet:
        echo("Stopped.")


def _note(problem: Problem) -> None:
    echo(f"Note: {one_line(problem)}", err=True)


def _clock() -> str:
    return time.strftime("%H:%M:%S")


def _summary(report: UpdateReport) -> str:
    """The changes of an update, on one line."""
    failed = f", {pluralise(report.files_failed, 'file')} not readable" if report.files_failed else ""
    return (
        f"+{report.added:,} ~{report.changed:,} −{report.removed:,} documents in {report.seconds:.1f} s{failed}: "
        f"{report.path}"
    )
