"""``porism similarities``: which terms of a channel are similar, built from spelling and embeddings, and looked at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from porism.cli.options import index_option, json_option, print_json
from porism.cli.progress import counting_progress
from porism.cli.terminal import echo
from porism.errors import counted

if TYPE_CHECKING:
    from porism.vectors.similarity import SimilarityMatrix

_LOOKING = {"name", "index_path", "shown", "listed", "k", "as_json", "quiet"}


def _switch(name: str, off: str, default: bool, help_text: str) -> Callable[[Any], Any]:
    return click.option(f"--{name}/--{off}", default=default, show_default=True, help=help_text)


@click.command(short_help="Build or show a matrix of which terms are similar.")
@click.argument("name", required=False, metavar="NAME")
@index_option
@click.option("--channel", default="words", show_default=True, help="The channel whose terms are compared.")
@click.option("--embeddings", default="", metavar="NAME", help="Embeddings of the index, for semantic similarity.")
@click.option("--alpha", type=float, default=None,
              help="The share of lexical similarity, from 0 to 1; 0.6, or 1 without embeddings.")
@click.option("--top", type=int, default=100, show_default=True, help="Most similarities of a term that are kept.")
@_switch("symmetric", "no-symmetric", True, "Whether a similarity is kept both ways or not at all.")
@_switch("dominant", "no-dominant", False, "Whether the similarities of a term sum up to less than 1.")
@_switch("apart", "together", False, "Whether lexical and semantic ones are selected apart, or their sum.")
@click.option("--threshold", type=float, default=0.0, show_default=True, help="Cosines that are not above count 0.")
@click.option("--exponent", type=float, default=4.0, show_default=True, help="The power of cosines.")
@click.option("--max-distance", type=int, default=3, show_default=True,
              help="Terms farther apart have no lexical similarity.")
@click.option("--lexical-factor", type=float, default=1.8, show_default=True, help="What lexical ones are times.")
@click.option("--lexical-power", type=float, default=5.0, show_default=True, help="The power of equal shares.")
@click.option("--lexical-threshold", type=float, default=0.0, show_default=True,
              help="Lexical similarities that are not above count 0.")
@_switch("capped", "uncapped", False, "Whether lexical similarities above 1 count as 1.")
@click.option("--vocabulary", type=int, default=50_000, show_default=True, help="The most frequent terms compared.")
@click.option("--min-df", type=int, default=1, show_default=True, help="Documents that a term must be in.")
@click.option("--workers", type=int, default=None, help="Threads; as many as processors if not given.")
@click.option("--show", "shown", metavar="TERM", help="Build nothing: print the terms most similar to TERM.")
@click.option("--list", "listed", is_flag=True, help="Build nothing: print which matrices the index has.")
@click.option("-k", "k", type=int, default=10, show_default=True, help="How many terms --show prints.")
@json_option
@click.option("--quiet", is_flag=True, help="No progress bar and no summary.")
@click.pass_context
def similarities(
    context: click.Context, /, name: str | None, index_path: Path, alpha: float | None, workers: int | None,
    shown: str | None, listed: bool, k: int, as_json: bool, quiet: bool, **settings: Any,
) -> None:
    """Build the token similarity matrix NAME of an index, which makes searching soft.

    Lexical similarity needs rapidfuzz (pip install 'porism[embeddings]'), semantic similarity trained embeddings.
    """
    from porism.vectors.similarity import SimilarityMatrix, SimilaritySettings, build_similarities, open_similarities

    if listed or shown is not None:
        _check_looking(context)
    if listed:
        _list(index_path, as_json)
        return
    if name is None:
        raise click.UsageError("Give the NAME of a matrix, or --list.")
    if shown is not None:
        _show(open_similarities(index_path, name), shown, k, as_json)
        return
    if alpha is None:
        alpha = 0.6 if settings["embeddings"] else 1.0
    if workers is not None and workers < 1:
        raise click.UsageError("--workers is at least 1.")
    chosen = SimilaritySettings(alpha=alpha, **settings)
    with counting_progress("comparing", quiet) as progress:
        path = build_similarities(index_path, name, chosen, workers=workers, on_progress=progress)
    if as_json:
        print_json({"name": name, "path": str(path), **SimilarityMatrix.open(path).info})
    elif not quiet:
        echo(_told(name, SimilarityMatrix.open(path)))
        echo(f"stored: {path} ({path.stat().st_size / 1e6:.1f} MB)")


def _check_looking(context: click.Context) -> None:
    """Refuses options that say how to build where nothing is built."""
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") is click.core.ParameterSource.COMMANDLINE
        if given and parameter.name not in _LOOKING:
            raise click.UsageError(f"{parameter.opts[0]} means nothing with --show and --list, which build nothing.")


def _show(matrix: SimilarityMatrix, term: str, k: int, as_json: bool) -> None:
    found = matrix.most_similar(term, k)
    if as_json:
        print_json({"term": term, "similar": [{"term": other, "similarity": value} for other, value in found]})
        return
    for other, value in found:
        echo(f"{value:.4f}  {other}")
    if not found:
        echo(f"nothing is similar to {term!r}", err=True)


def _list(index_path: Path, as_json: bool) -> None:
    from porism.index import Snapshot
    from porism.system.files.artifacts import SIMILARITIES
    from porism.vectors.similarity import (
        open_similarities,
    )

    Snapshot.open(index_path).close()  # the error where there is no index
    matrices = [(name, open_similarities(index_path, name)) for name in SIMILARITIES.names(index_path)]
    if as_json:
        print_json([
            {"name": name, "path": str(matrix.path), "bytes": matrix.path.stat().st_size, **matrix.info}
            for name, matrix in matrices
        ])
        return
    for name, matrix in matrices:
        echo(_told(name, matrix))
    if not matrices:
        echo("the index has no similarity matrices", err=True)


def _told(name: str, matrix: SimilarityMatrix) -> str:
    """A matrix in a line: what it holds, and of what it was made."""
    info = matrix.info
    alpha = info.get("settings", {}).get("alpha")
    parts = [f"{counted(len(matrix), 'term')} of {matrix.channel or 'no channel'}",
             counted(len(matrix.columns), "similarity", "similarities")]
    if alpha is not None:
        parts.append(f"alpha {alpha:g}")
    if embeddings := info.get("embeddings"):
        parts.append(f"embeddings {embeddings['name']} ({counted(embeddings['terms'], 'term')} with vectors)")
    if "seconds" in info:
        parts.append(f"built in {info['seconds']:.1f} s")
    return f"{name}: {', '.join(parts)}"
