"""``porism index``, ``info``, ``delete`` and ``merge``: what an index holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.checking import check_lines, checked
from porism.cli.first_use import compile_once
from porism.cli.options import index_option, json_option, print_json
from porism.cli.progress import ProblemLog, counting_progress, indexing_progress
from porism.cli.reading import reading_options
from porism.cli.terminal import echo

if TYPE_CHECKING:
    from porism.analysis import AnalysisConfig
    from porism.corpus import ReaderOptions


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@index_option
@reading_options
@click.option("--channels", metavar="NAMES",
              help="Channels of a new index, separated by commas, and sets of them: default, all; by default what "
                   "searches use, and so for text or formulas where only channels of the others are named.")
@click.option("--tokenizer", "tokenizers", multiple=True, metavar="NAME=FILE",
              help="Also the channel bpe:NAME: the tokens of a tokenizer of porism train tokenizer.")
@click.option("--language", metavar="NAME", help="The stemmer of a new index, or none; english if not given.")
@click.option("--expansions", "expansions_path", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Add the queries that porism expand wrote to the documents, as the field expansion.")
@click.option("--jobs", type=click.IntRange(min=1), help="Analysing processes; all cores if not given.")
@click.option("--problems", "problems_path", type=click.Path(dir_okay=False), metavar="FILE",
              help="Write a line for everything that was skipped or not understood.")
@click.option("--quiet", is_flag=True, help="No progress bar and no summary.")
def index(
    sources: tuple[str, ...],
    index_path: Path,
    format_name: str | None,
    options: ReaderOptions,
    channels: str | None,
    tokenizers: tuple[str, ...],
    language: str | None,
    expansions_path: Path | None,
    jobs: int | None,
    problems_path: str | None,
    quiet: bool,
) -> None:
    """Add the documents of files or folders to an index.

    SOURCE is a file or folder: an ARQMath collection, a Stack Exchange dump, JSONL, CSV, a LaTeX project, Markdown,
    Quarto, reST, Jupyter notebooks, HTML, plain text, or a folder that mixes them. A document whose id is already there
    replaces the old one. Ctrl-C keeps what was read so far; run it again to complete the index.
    """
    from porism.indexing import index_sources

    config = _config(channels, language, tokenizers) if channels or language or tokenizers else None
    log = ProblemLog(problems_path)
    change = None
    if expansions_path:
        from porism.expansion import Expander, ExpansionFile

        change = Expander(ExpansionFile(expansions_path), log)
    try:
        if all(Path(source).exists() for source in sources):
            compile_once(quiet)
        with indexing_progress(quiet) as progress:
            report = index_sources(
                sources, index_path, format=format_name, options=options, config=config, jobs=jobs, change=change,
                on_problem=log, on_progress=progress,
            )
    finally:
        if not quiet:
            log.close()
    if not quiet:
        rate = report.documents / max(report.seconds, 1e-9)
        echo(
            f"{'Stopped. ' if report.interrupted else ''}{report.documents:,} documents with {report.formulas:,} "
            f"formulas indexed in {report.seconds:.1f} s ({rate:,.0f} documents/s): {report.path}"
        )
        if report.interrupted:
            echo("The index holds what was read so far and can be used; run the same command to complete it.")
        else:
            echo(f"Ask it: porism search 'words and $formula$' --index {report.path}")
    if report.interrupted:
        raise click.exceptions.Exit(130)


def _config(channels: str | None, language: str | None, tokenizers: Sequence[str]) -> AnalysisConfig:
    """The configuration of a new index."""
    from porism.analysis import AnalysisConfig
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
    return AnalysisConfig.named(names, tokenizers=files, language=language or "english")


@click.command(short_help="Show what an index contains.")
@click.argument("path", type=click.Path(path_type=Path), default="porism-index", metavar="[DIR]")
@json_option
@click.option("--verify", is_flag=True,
              help="Also read every file and compare it with its checksum, as porism check does.")
def info(path: Path, as_json: bool, verify: bool) -> None:
    """Tell what the index in DIR holds: documents, fields, channels, formulas, sizes, settings."""
    from porism.cli.render import info_lines
    from porism.index import info as index_info

    found = index_info(path)
    report = checked(path, quiet=as_json) if verify else None
    if as_json:
        print_json({**found.to_dict(), "check": report.to_dict()} if report else found.to_dict())
    else:
        for line in info_lines(found):
            echo(line)
        for line in ["", *check_lines(report)] if report else []:
            echo(line)
    if report and not report.sound:
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@index_option
@click.option("--filter", "filters", multiple=True, metavar="KEY=VALUE",
              help="Delete all documents with this metadata.")
def delete(ids: tuple[str, ...], index_path: Path, filters: tuple[str, ...]) -> None:
    """Delete documents from an index, by id or by metadata."""
    from porism.errors import QueryError
    from porism.index import IndexWriter
    from porism.searching import filters_from_strings

    if not ids and not filters:
        raise QueryError("nothing to delete was named", hint="Give ids, or --filter KEY=VALUE.")
    with IndexWriter(index_path, create=False) as writer:
        compile_once()
        count = writer.delete(ids) if ids else 0
        for key, values in filters_from_strings(filters).items():
            count += sum(writer.delete_matching(key, value) for value in values)
        writer.commit()
    echo(f"{count:,} documents deleted")
    if count < len(ids):
        echo(f"{len(ids) - count:,} ids are not in the index", err=True)


@click.command(short_help="Merge an index into one segment.")
@index_option
def merge(index_path: Path) -> None:
    """Merge an index into one segment: frees the room of deleted documents, makes searching a little faster."""
    from porism.index import IndexWriter
    from porism.retrieve import DEFAULT_MODEL, prepare_segments

    with IndexWriter(index_path, create=False) as writer:
        compile_once()
        with counting_progress("merging", quiet=False) as progress:
            writer.merge(on_step=progress)
        writer.commit(before_publish=lambda segments: prepare_segments(segments, DEFAULT_MODEL))
    echo(f"merged: {index_path}")
