"""``porism train tokenizer``: byte-pair encoding learnt from texts and formulas."""

from __future__ import annotations

from pathlib import Path

import click

from porism.cli.options import index_option
from porism.cli.progress import ProblemLog, counting_progress
from porism.cli.terminal import echo
from porism.errors import counted


@click.command("tokenizer")
@click.argument("name")
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@index_option
@click.option("--kind", type=click.Choice(["latex", "text", "joint"]), default="latex", show_default=True,
              help="What it reads: formulas, the text between them, or text with LaTeX in one stream.")
@click.option("--latex", type=click.Choice(["normalised", "source", "unified"]), default="normalised",
              show_default=True,
              help="Formulas in one spelling, as they were written, or as tokens in which equal commands are one.")
@click.option("--merges", type=click.IntRange(min=1), default=50_000, show_default=True,
              help="How often two tokens become one, at most.")
@click.option("--vocabulary", type=click.IntRange(min=1), metavar="N",
              help="How many tokens there are at most, in place of --merges: bytes, marks and merges.")
@click.option("--minimum-frequency", type=click.IntRange(min=1), default=2, show_default=True,
              help="Rarer pairs do not become one token.")
@click.option("--longest", type=click.IntRange(min=2), default=40, show_default=True,
              help="The longest token, in bytes.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="The file to write; NAME.json if not given.")
@click.option("--quiet", is_flag=True, help="No progress bar and no summary.")
def tokenizer(
    name: str, sources: tuple[str, ...], index_path: Path, kind: str, latex: str, merges: int, vocabulary: int | None,
    minimum_frequency: int, longest: int, output: Path | None, quiet: bool,
) -> None:
    """Learn how to split LaTeX, text, or both into tokens, and write it to a file.

    It is learnt from the documents of an index, or of files and folders if there are any SOURCEs. The file is used by
    porism index --tokenizer NAME=FILE. It needs the library tokenizers (pip install 'porism[embeddings]').
    """
    import time

    from porism.analysis.tokenizers.training import BpeSettings
    from porism.errors import ConfigError
    from porism.search.tokenizing import train_tokenizer
    from porism.system.files.artifacts import TOKENIZERS

    TOKENIZERS.check_name(name)
    settings = BpeSettings(kind, latex, merges, minimum_frequency, longest)  # type: ignore[arg-type]
    if vocabulary is not None:
        if vocabulary <= settings.other_tokens:
            raise ConfigError(
                f"a vocabulary of {vocabulary:,} tokens leaves no merges",
                hint=f"{settings.other_tokens} are bytes and marks.",
            )
        settings = BpeSettings(
            settings.kind, settings.latex, vocabulary - settings.other_tokens, minimum_frequency, longest
        )
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
            f"{counted(len(trained), 'token')} learnt from {counted(trained.info['documents'], 'document')} in "
            f"{time.monotonic() - started:.1f} s: {path}"
        )
        echo(f"Use it: porism index SOURCE --tokenizer {name}={path} --index DIR")
