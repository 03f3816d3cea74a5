"""``porism similarities``: matrices of similar terms, built from spelling and embeddings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.options import index_option, json_option, print_json, quiet_option
from porism.cli.progress import counting_progress
from porism.cli.settings_options import settings_options
from porism.cli.terminal import echo
from porism.errors import pluralise
from porism.vectors.similarity.settings import SimilaritySettings

if TYPE_CHECKING:
    from porism.retrieve.lexical.similarity_matrix import SimilarityMatrix

_SHOW_PARAMETERS = {"name", "index_path", "shown", "listed", "k", "as_json", "quiet"}


@click.command()
@click.argument("name", required=False, metavar="NAME")
@index_option
@settings_options(SimilaritySettings, omit=("alpha",), metavars={"embeddings": "NAME"})
@click.option("--alpha", type=float, metavar="X", show_default="0.6, or 1 without embeddings",
              help="The share of lexical similarity, from 0 to 1; 1 needs no embeddings.")
@click.option("--workers", type=int, metavar="N", show_default="the number of processors",
              help="Threads that compare terms.")
@click.option("--show", "shown", metavar="TERM", help="Build nothing; print the terms most similar to TERM.")
@click.option("--list", "listed", is_flag=True,
              help="Build nothing; list the matrices of the index, with sizes and origins.")
@click.option("-k", "k", type=int, default=10, show_default=True, metavar="N", help="Terms that --show prints.")
@json_option
@quiet_option
@click.pass_context
def similarities(
    context: click.Context, name: str | None, index_path: Path, settings: SimilaritySettings, alpha: float | None,
    workers: int | None, shown: str | None, listed: bool, k: int, as_json: bool, quiet: bool,
) -> None:
    """Build the matrix NAME of similar terms, by which a search matches similar terms too.

    The terms of a channel are compared by their spelling (lexical similarity) and by their embeddings (semantic
    similarity). Lexical similarity is F · (1 − distance / length) ^ P, semantic similarity a power of the cosine. The
    matrix is kept in the index, and replaces one of this name. Lexical similarity needs
    pip install 'porism[embeddings]', semantic similarity trained embeddings.
    """
    from porism.retrieve.lexical.similarity_matrix import SimilarityMatrix, open_similarities
    from porism.vectors.similarity import build_similarities

    if listed or shown is not None:
        _check_build_options(context)
    if listed:
        _list(index_path, as_json)
        return
    if name is None:
        raise click.UsageError("Give the NAME of a matrix, or --list.")
    if shown is not None:
        _show(open_similarities(index_path, name), shown, k, as_json)
        return
    if workers is not None and workers < 1:
        raise click.UsageError("--workers is at least 1.")
    if alpha is not None or not settings.embeddings:
        settings = replace(settings, alpha=1.0 if alpha is None else alpha)
    with counting_progress("comparing", quiet) as progress:
        path = build_similarities(index_path, name, settings, workers=workers, on_progress=progress)
    if as_json:
        print_json({"name": name, "path": str(path), **SimilarityMatrix.open(path).info})
    elif not quiet:
        echo(_matrix_line(name, SimilarityMatrix.open(path)))
        echo(f"stored: {path} ({path.stat().st_size / 1e6:.1f} MB)")


def _check_build_options(context: click.Context) -> None:
    """Refuses options of building when nothing is built."""
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") is click.core.ParameterSource.COMMANDLINE
        if given and parameter.name not in _SHOW_PARAMETERS:
            raise click.UsageError(f"{parameter.opts[0]} does not work with --show or --list, which build nothing.")


def _show(matrix: SimilarityMatrix, term: str, k: int, as_json: bool) -> None:
    similar = matrix.most_similar(term, k)
    if as_json:
        print_json({"term": term, "similar": [{"term": other, "similarity": value} for other, value in similar]})
        return
    for other, value in similar:
        echo(f"{value:.4f}  {other}")
    if not similar:
        echo(f"nothing is similar to {term!r}", err=True)


def _list(index_path: Path, as_json: bool) -> None:
    from porism.index import Snapshot
    from porism.retrieve.lexical.similarity_matrix import open_similarities
    from porism.system.files.artifacts import SIMILARITIES

    Snapshot.open(index_path).close()  # the error where there is no index
    matrices = [(name, open_similarities(index_path, name)) for name in SIMILARITIES.names(index_path)]
    if as_json:
        print_json([
            {"name": name, "path": str(matrix.path), "bytes": matrix.path.stat().st_size, **matrix.info}
            for name, matrix in matrices
        ])
        return
    for name, matrix in matrices:
        echo(_matrix_line(name, matrix))
    if not matrices:
        echo("the index has no similarity matrices", err=True)


def _matrix_line(name: str, matrix: SimilarityMatrix) -> str:
    """A line on a matrix: its size, and what it was made of."""
    info = matrix.info
    alpha = info.get("settings", {}).get("alpha")
    parts = [f"{pluralise(len(matrix), 'term')} of {matrix.channel or 'no channel'}",
             pluralise(len(matrix.columns), "similarity", "similarities")]
    if alpha is not None:
        parts.append(f"alpha {alpha:g}")
    if embeddings := info.get("embeddings"):
        parts.append(f"embeddings {embeddings['name']} ({pluralise(embeddings['terms'], 'term')} with vectors)")
    if "seconds" in info:
        parts.append(f"built in {info['seconds']:.1f} s")
    return f"{name}: {', '.join(parts)}"
