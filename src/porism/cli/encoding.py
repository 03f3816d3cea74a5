"""``porism encode``: vectors or weighted terms of the documents of an index, by an encoder that it remembers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from porism.cli.options import cluster_option, index_option
from porism.cli.progress import counting_progress
from porism.cli.terminal import echo
from porism.errors import counted

if TYPE_CHECKING:
    from porism.vectors.dense.model import Approximate

class _Report(Protocol):
    """What encoding gives, whatever was encoded."""

    @property
    def encoded(self) -> int: ...

    @property
    def seconds(self) -> float: ...

    @property
    def interrupted(self) -> bool: ...


R = TypeVar("R", bound=_Report)

FORMULAS = "formula-encoder"
"""The kind of models that encode formulas, not documents."""


@click.command()
@click.argument("model", metavar="MODEL")
@index_option
@click.option("--name", default="", help="What the encoder is called in the index; by default as the model is.")
@click.option("--kind", type=click.Choice(["dense", "splade", "colbert", "formula-encoder"]),
              help="What the model gives: vectors, weights of terms, vectors of tokens, or vectors of formulas; as its "
                   "folder says if not given.")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE",
              help="How documents are read, e.g. text.formulas=spoken or cut=chunks; repeatable.")
@click.option("--numbers", type=click.Choice(["float32", "float16", "int8"]), default=None, show_default="float32",
              help="What vectors are stored as.")
@click.option("--precision", type=click.Choice(["auto", "float32", "bfloat16", "float16", "int8"]), default="auto",
              show_default=True, help="What the model computes with.")
@click.option("--approximate", "approximate", multiple=True, metavar="KIND[,NAME=VALUE...]",
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
    model: str, index_path: Path, name: str, kind: str | None, assignments: Sequence[str], numbers: Any, precision: Any,
    approximate: Sequence[str], bits: str | None, centroids: int | None, retrain: bool, device: str,
    cluster: str | None, remove: bool, quiet: bool,
) -> None:
    """Encode the documents of an index by MODEL, so that porism search --model neural or dense finds them by meaning,
    --model splade by the terms that a sparse encoder gave them, or --model colbert by their tokens. An encoder of
    formulas encodes these, for --model formula-encoder.

    MODEL is the folder of an encoder, the name of one trained for the index, of an installed package that carries its
    weights, or of a model on the hub of Hugging Face. The index remembers it: later updates encode new documents. Only
    documents without vectors are encoded; Ctrl-C keeps what was done, and the same command goes on. Needs
    pip install 'porism[neural]'.
    """
    from porism.settings import parse_assignments

    if remove:
        _forget(index_path, name or model)
        echo(f"the encoder {name or model} is no longer part of the index")
        return
    chosen = kind or model_kind(model, index_path)
    options: dict[str, Any] = {"name": name}
    if chosen != FORMULAS:
        options |= {"settings": parse_assignments(assignments), "precision": precision, "device": device}
        options["cluster"] = cluster
    elif assignments or precision != "auto" or device != "auto" or cluster is not None:
        raise click.UsageError(
            f"--set, --precision, --device and --cluster are not for models of the kind {FORMULAS}."
        )
    given: dict[str, Any] = {
        "numbers": numbers, "approximate": _approximate(approximate) if approximate else None,
        "bits": bits and int(bits), "centroids": centroids, "retrain": retrain or None,
    }
    options |= {option: value for option, value in given.items() if value is not None}
    for option in options:
        if option in given and option not in _OPTIONS[chosen]:
            raise click.UsageError(f"--{option} is not for models of the kind {chosen}.")
    _ENCODING[chosen](index_path, model, quiet, **options)


def model_kind(model: str, index_path: Path) -> str:
    """What a model gives, as its folder says; one of the hub is fetched where it is not here.

    :raises ConfigError: there is none of this name, or its folder is incomplete.
    """
    from porism.vectors.neural.encoder_files import model_folder
    from porism.vectors.neural.encoder_model import fetched_encoder
    from porism.vectors.neural.formula_encoder import is_formula_encoder
    from porism.vectors.neural.sparse_encoder import is_sparse_model
    from porism.vectors.neural.token_model import is_token_model

    here = model_folder(model, index_path)
    if here is not None and is_formula_encoder(here):
        return FORMULAS
    folder = fetched_encoder(model, index_path).folder
    return "splade" if is_sparse_model(folder) else "colbert" if is_token_model(folder) else "dense"


def encode_and_tell(index_path: Path, model: str, quiet: bool) -> None:
    """Encodes an index by a model of any kind and prints a summary; exits with 130 after an interruption."""
    _ENCODING[model_kind(model, index_path)](index_path, model, quiet)


def _encode_and_tell(
    encode: Callable[..., R], index_path: Path, model: str, quiet: bool, options: Mapping[str, Any],
    summary: Callable[[R], str], ask: str,
) -> None:
    """Encodes an index and prints a summary, and how to search by what was encoded; exits with 130 after an
    interruption."""
    with counting_progress("encoding", quiet) as progress:
        report = encode(index_path, model, on_progress=progress, **options)
    if not quiet:
        echo(f"{'Stopped. ' if report.interrupted else ''}{summary(report)}: {index_path}")
        echo(
            "Run the same command to go on." if report.interrupted else
            f"Ask it: porism search {ask} --index {index_path}"
        )
    if report.interrupted:
        raise click.exceptions.Exit(130)


def _done(report: _Report, noun: str, rate: str = "") -> str:
    """How many things were encoded in which time; ``rate`` is how many of them a second are written."""
    speed = f" ({report.encoded / max(report.seconds, 1e-9):{rate}}/s)" if rate else ""
    return f"{counted(report.encoded, noun)} encoded in {report.seconds:.1f} s{speed}"


def encode_terms_and_tell(index_path: Path, model: str, quiet: bool, **options: Any) -> None:
    """Encodes an index by a sparse encoder and prints a summary; exits with 130 after an interruption."""
    from porism.vectors.splade.encoding import TermsReport, encode_terms

    def summary(report: TermsReport) -> str:
        each = "" if report.interrupted else f", {report.terms / max(1, report.documents):,.1f} terms each"
        return f"{_done(report, 'document', ',.1f')} by {report.store.name}{each}"

    _encode_and_tell(
        encode_terms, index_path, model, quiet, {"on_note": _note, **options}, summary,
        "'words and $formula$' --model splade",
    )


def encode_tokens_and_tell(index_path: Path, model: str, quiet: bool, **options: Any) -> None:
    """Encodes an index by a model of late interaction and prints a summary; exits with 130 after an interruption."""
    from porism.vectors.colbert.encoding import TokenReport, encode_tokens

    def summary(report: TokenReport) -> str:
        codec = report.store.codec
        size = "" if report.interrupted else (
            f"; {counted(report.tokens, 'token')}, {report.bytes / max(1, report.tokens):.1f} bytes each"
        )
        return (
            f"{_done(report, 'document')} by {report.store.name}, {counted(len(codec.centroids), 'centroid')}, "
            f"{codec.dimensions} dimensions of {counted(codec.bits, 'bit')}{size}"
        )

    _encode_and_tell(
        encode_tokens, index_path, model, quiet, {"on_note": _note, **options}, summary,
        "'words and $formula$' --model colbert",
    )


def encode_vectors_and_tell(index_path: Path, model: str, quiet: bool, **options: Any) -> None:
    """Encodes an index by an encoder of vectors and prints a summary; exits with 130 after an interruption."""
    from porism.vectors.dense.encoding import EncodeReport, encode_index

    def summary(report: EncodeReport) -> str:
        done = _done(report, "document", ",.1f")
        if not report.encoded and not report.interrupted:
            done = f"All {counted(report.documents, 'document')} have their vectors already"
        return f"{done} by {report.record.name}, {report.record.dimensions} dimensions ({report.record.numbers})"

    _encode_and_tell(
        encode_index, index_path, model, quiet, {"on_note": _note, **options}, summary,
        "'words and $formula$' --model neural",
    )


def encode_formulas_and_tell(index_path: Path, model: str, quiet: bool, **options: Any) -> None:
    """Encodes the formulas of an index and prints a summary; exits with 130 after an interruption."""
    from porism.vectors.formula_encoder.encoding import FormulaEncodeReport, encode_formulas

    def summary(report: FormulaEncodeReport) -> str:
        done = _done(report, "formula", ",.0f")
        return f"{done} by {report.record.name}, {report.record.dimensions} dimensions"

    _encode_and_tell(
        encode_formulas, index_path, model, quiet, options, summary,
        "--formulas 'x^2+y^2' --model formula-encoder",
    )


def _note(note: str) -> None:
    echo(f"Note: {note}.", err=True)


def _forget(index_path: Path, name: str) -> None:
    from porism.system.files.artifacts import FORMULA_ENCODERS, SPARSE, TOKENS
    from porism.vectors.colbert.encoding import forget_tokens
    from porism.vectors.dense.encoding import forget_encoder
    from porism.vectors.formula_encoder.encoding import forget_formula_encoder
    from porism.vectors.splade.encoding import forget_terms

    if name in FORMULA_ENCODERS.names(index_path):
        forget_formula_encoder(index_path, name)
    elif name in SPARSE.names(index_path):
        forget_terms(index_path, name)
    elif name in TOKENS.names(index_path):
        forget_tokens(index_path, name)
    else:
        forget_encoder(index_path, name)


def _approximate(given: Sequence[str]) -> Approximate:
    from porism.errors import ConfigError
    from porism.settings import parse_assignments, read_settings
    from porism.vectors.dense.model import Approximate

    found: dict[str, Any] = {}
    for one in given:
        kind, _, rest = one.partition(",")
        if kind not in ("hnsw", "ivfpq"):
            raise ConfigError(f"there is no index of near vectors {kind!r}", hint="Choose hnsw or ivfpq.")
        settings = parse_assignments(filter(None, rest.split(",")))
        if "least" in settings:
            found["least"] = settings.pop("least")
        found[kind] = settings
    return read_settings(Approximate, found)


_ENCODING: Mapping[str, Callable[..., None]] = MappingProxyType({
    "dense": encode_vectors_and_tell, "splade": encode_terms_and_tell, "colbert": encode_tokens_and_tell,
    FORMULAS: encode_formulas_and_tell,
})
"""What encodes an index, by what the model gives."""

_OPTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "dense": ("numbers", "approximate"), "splade": (), "colbert": ("bits", "centroids", "retrain"),
    FORMULAS: (),
})
"""Options that are for one kind of models alone."""
