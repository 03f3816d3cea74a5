"""``porism encode``: vectors or weighted terms of the documents of an index, or vectors of its formulas, by an encoder
that it records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from porism.cli.options import cluster_option, index_option
from porism.cli.progress import counting_progress
from porism.cli.settings_options import RenamedOption
from porism.cli.terminal import echo
from porism.errors import pluralise

if TYPE_CHECKING:
    from porism.vectors.dense.model import Approximate
    from porism.vectors.encoding import EncodingKind, EncodingReport


@click.command()
@click.argument("model", metavar="MODEL")
@index_option
@click.option("--name", default="", help="What the encoder is called in the index; by default as the model is.")
@click.option("--kind", type=click.Choice(["dense", "splade", "colbert", "formula-encoder"]),
              help="What the model gives: vectors, weights of terms, vectors of tokens, or vectors of formulas; as its "
                   "folder says if not given.")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE",
              help="How documents are read, e.g. text.formulas=spoken or cut=chunks; repeatable.")
@click.option("--dtype", cls=RenamedOption, former=["--numbers"], type=click.Choice(["float32", "float16", "int8"]),
              default=None, show_default="float32", help="What vectors are stored as.")
@click.option("--precision", type=click.Choice(["auto", "float32", "bfloat16", "float16", "int8"]), default="auto",
              show_default=True, help="What the model computes with.")
@click.option("--ann", cls=RenamedOption, former=["--approximate"], multiple=True, metavar="KIND[,NAME=VALUE...]",
              help="Also build an index of near vectors: hnsw or ivfpq; repeatable.")
@click.option("--bits", type=click.Choice(["1", "2", "4"]), default=None, show_default="2",
              help="Bits of a dimension of a token, for a model of late interaction.")
@click.option("--centroids", type=int, default=None, show_default="by the number of tokens",
              help="Centroids of tokens, for a model of late interaction.")
@click.option("--retrain", is_flag=True, help="Find centroids of tokens anew, and encode documents again by them.")
@click.option("--device", default="auto", show_default=True, metavar="NAME", help="auto, cpu, cuda, cuda:1, …")
@cluster_option
@click.option("--remove", is_flag=True, help="Forget the encoder MODEL of the index, and remove its vectors.")
@click.option("--quiet", is_flag=True, help="No progress bar and no summary.")
def encode(
    model: str, index_path: Path, name: str, kind: str | None, assignments: Sequence[str], dtype: str | None,
    precision: Any, ann: Sequence[str], bits: str | None, centroids: int | None, retrain: bool, device: str,
    cluster: str | None, remove: bool, quiet: bool,
) -> None:
    """Encode the documents of an index by MODEL. Then porism search --model neural or dense finds them by meaning,
    --model splade by the terms that a sparse encoder gave them, and --model colbert by their tokens. An encoder of
    formulas encodes these, for --model formula-encoder.

    MODEL is the folder of an encoder or a name. The name is that of an encoder trained for the index, of an installed
    package that carries its weights, or of a model on the hub of Hugging Face. The index records it: later updates
    encode new documents. Only documents without vectors are encoded; Ctrl-C keeps what was done, and the same command
    goes on. Needs pip install 'porism[neural]'.
    """
    from porism.settings import parse_assignments
    from porism.vectors.encoding_kinds import ENCODING_KINDS, forget, model_kind

    if remove:
        forget(index_path, name or model)
        echo(f"the encoder {name or model} is no longer part of the index")
        return
    chosen = ENCODING_KINDS[kind] if kind else model_kind(model, index_path)
    given = {
        "dtype": ("numbers", dtype), "ann": ("approximate", _approximate(ann) if ann else None),
        "bits": ("bits", bits and int(bits)), "centroids": ("centroids", centroids),
        "retrain": ("retrain", retrain or None),
    }
    for option, (setting, value) in given.items():
        if value is not None and setting not in chosen.option_names:
            raise click.UsageError(f"--{option} is not for models of the kind {chosen.name}.")
    options = {setting: value for setting, value in given.values() if value is not None}
    encode_and_report(
        index_path, model, quiet, chosen, name=name, settings=parse_assignments(assignments), precision=precision,
        device=device, cluster=cluster, **options,
    )


def encode_and_report(
    index_path: Path, model: str, quiet: bool, kind: EncodingKind[Any, Any] | None = None, **options: Any
) -> None:
    """Encodes an index by a model, of the kind that its folder says if None, and prints a summary and how to search by
    what was encoded; exits with 130 after an interruption."""
    from porism.vectors.encoding_kinds import model_kind

    chosen = kind or model_kind(model, index_path)
    with counting_progress("encoding", quiet) as progress:
        report = chosen.encode(
            index_path, model, on_progress=progress, on_warning=lambda warning: echo(f"Note: {warning}.", err=True),
            **options,
        )
    if not quiet:
        echo(f"{'Stopped. ' if report.interrupted else ''}{_summary(chosen, report)}: {index_path}")
        several = len(chosen.records.kind.names(index_path)) > 1
        search = f"{chosen.search}:{report.record.name}" if several else chosen.search
        echo(
            "Run the same command to go on." if report.interrupted else
            f"Ask it: porism search {search} --index {index_path}"
        )
    if report.interrupted:
        raise click.exceptions.Exit(130)


def _summary(kind: EncodingKind[Any, Any], report: EncodingReport[Any]) -> str:
    """How much was encoded in which time, and what is stored of each document or formula."""
    if report.encoded or report.interrupted:
        speed = report.encoded / max(report.seconds, 1e-9)
        done = f"{pluralise(report.encoded, kind.noun)} encoded in {report.seconds:.1f} s ({speed:,.1f}/s)"
    else:
        done = f"All {pluralise(report.count, kind.noun)} have their {kind.row_noun}s already"
    size = ""
    if report.rows and report.rows != report.count:
        size = (
            f"; {pluralise(report.rows, kind.row_noun)} of {report.bytes / report.rows:.1f} bytes, "
            f"{report.rows / report.count:,.1f} {kind.row_noun}s each"
        )
    return f"{done} by {report.record.name}, {kind.describe(report.record)}{size}"


def _approximate(given: Sequence[str]) -> Approximate:
    from porism.errors import ConfigError
    from porism.settings import parse_assignments, read_settings
    from porism.vectors.dense.model import Approximate

    chosen: dict[str, Any] = {}
    for spec in given:
        kind, _, rest = spec.partition(",")
        if kind not in ("hnsw", "ivfpq"):
            raise ConfigError(f"there is no index of near vectors {kind!r}", hint="Choose hnsw or ivfpq.")
        settings = parse_assignments(filter(None, rest.split(",")))
        if "least" in settings:
            chosen["least"] = settings.pop("least")
        chosen[kind] = settings
    return read_settings(Approximate, chosen)
