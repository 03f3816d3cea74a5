"""``porism train tokenizer``: byte-pair encoding learnt from texts and formulas."""

from __future__ import annotations

from pathlib import Path

import click

from porism.analysis.tokenizers.training import BpeSettings
from porism.cli.options import index_option, quiet_option
from porism.cli.progress import ProblemLog, counting_progress
from porism.cli.settings_options import settings_options
from porism.cli.terminal import echo
from porism.errors import pluralise


@click.command("tokenizer")
@click.argument("name")
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@index_option
@settings_options(BpeSettings)
@click.option("--vocabulary", type=click.IntRange(min=1), metavar="N",
              help="How many tokens there are at most, in place of --merges: bytes, marks and merges.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="The file to write; NAME.json if not given.")
@quiet_option
def tokenizer(
    name: str, sources: tuple[str, ...], index_path: Path, settings: BpeSettings, vocabulary: int | None,
    output: Path | None, quiet: bool,
) -> None:
    """Learn how to split LaTeX, text, or both into tokens, and write it to a file.

    It is learnt from the documents of an index, or of files and folders if there are any SOURCEs. The file is used by
    porism index --tokenizer NAME=FILE. It needs the library tokenizers (pip install 'porism[embeddings]').
    """
    import time

    from porism.search.tokenizing import train_tokenizer
    from porism.system.files.artifacts import TOKENIZERS

    TOKENIZERS.check_name(name)
    if vocabulary is not None:
        settings = settings.of_vocabulary(vocabulary)
    path = output or Path(f"{name}.json")
    log = ProblemLog()
    started = time.monotonic()
    with counting_progress("reading", quiet) as progress:
        trained = train_tokenizer(
            path, sources=sources, index=index_path, settings=settings, on_problem=log,
            on_progress=lambda done, total: progress(done, total or done),
        )
    if not quiet:
        log.close()
        echo(
            f"{pluralise(len(trained), 'token')} learnt from {pluralise(trained.info['documents'], 'document')} in "
            f"{time.monotonic() - started:.1f} s: {path}"
        )
        echo(f"Use it: porism index SOURCE --tokenizer {name}={path} --index DIR")
