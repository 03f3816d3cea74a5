"""``porism rerank``: the first results of a run in a new order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from porism.cli.fusing import check_files, check_folders
from porism.cli.options import check_outputs, index_option, list_option, problems_option, quiet_option
from porism.cli.progress import ProblemLog, counting_progress, one_line
from porism.cli.terminal import echo
from porism.errors import OnProblem, pluralise

if TYPE_CHECKING:
    from porism.lab.evaluate import Qrels
    from porism.lab.pipeline.protocols import Reranker
    from porism.lab.pipeline.rerankers.texts import DocumentSource
    from porism.lab.tuning import CrossValidated, Tuned
    from porism.runs.run import Run
    from porism.vectors.neural.scoring.base import Cost

_LONG = 3.0
"""Seconds from which a search says how much there is to re-rank."""

_FOLDS = 5
"""Parts of the topics, by which the share of the first stage is chosen."""

_SIGNIFICANT = 0.05
"""Below this p-value a reranker is said to help its first stage."""


@click.command()
@click.argument("run_path", type=click.Path(path_type=Path), metavar="RUN")
@index_option
@click.option("--topics", "topics_path", required=True, type=click.Path(path_type=Path), metavar="FILE",
              help="The topics of the run: ARQMath topics, lines of JSON, or lines of id, tab, text.")
@click.option("--kind", metavar="NAME",
              show_default="what the model was trained as, or cross-encoder",
              help="What gives documents their scores; --list shows all kinds.")
@click.option("--model", default="default", metavar="NAME|DIR",
              help="The model of that kind: a folder, or the name of a package or of a model of the index.")
@click.option("--depth", type=click.IntRange(min=1), default=100, show_default=True, metavar="N",
              help="Results of a topic that are re-ranked; the others follow in their order.")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE",
              help="A setting of the kind, e.g. length=256 or query_fields=title,question; repeatable.")
@click.option("--output", required=True, type=click.Path(path_type=Path), metavar="RUN", help="The TREC run to write.")
@click.option("--cache", "cache_path", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              show_default="--output with .scores added",
              help="Keep the scores of models here, and continue from them after an interruption.")
@click.option("--no-cache", is_flag=True, help="Keep no scores.")
@click.option("--pairs", "pairs_path", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Also write the pairwise scores of a model of pairs, for porism aggregate and porism flips.")
@click.option("--qrels", "qrels_path", type=click.Path(path_type=Path), metavar="FILE",
              help="Judgments that choose first_stage, the share of the first stage's scores, in tenths from 1 "
                   "(no reranker) to 0. Topics without judgments, and documents outside the index, do not count.")
@click.option("--measure", metavar="NAME", show_default="nDCG'", help="The measure by which the share is chosen.")
@click.option("--folds", type=click.IntRange(min=0), metavar="N",
              show_default="5", help="Parts of the topics: each is ranked by the share that the others chose. With 0 "
              "all topics choose, and the run records that it was tuned on them.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, metavar="N",
              help="Other numbers draw other folds.")
@click.option("--name", default="porism", show_default=True, help="The name of the new run, its last column.")
@list_option("porism.lab.pipeline.rerankers.registry:RERANKERS", "kinds")
@problems_option
@quiet_option
def rerank(
    run_path: Path, index_path: Path, topics_path: Path, kind: str | None, model: str, depth: int,
    assignments: tuple[str, ...], output: Path, cache_path: Path | None, no_cache: bool,
    pairs_path: Path | None, qrels_path: Path | None, measure: str | None, folds: int | None, seed: int, name: str,
    problems_path: str | None, quiet: bool,
) -> None:
    """Re-rank the first results of each topic of the run file RUN.

    Scores of models are kept, so the same command continues after an interruption, and another depth computes only what
    is new. With --qrels the command prints the measure at each share of the first stage. It also prints the gain over
    the first stage on topics held out, with an interval and a permutation test. Of equally good shares the largest is
    chosen; without a significant gain the command says to leave the reranker out.
    """
    import time

    from porism.cli.progress import compile_once
    from porism.corpus import read_qrels, read_topics
    from porism.lab.evaluate import restrict_qrels
    from porism.lab.pairwise import write_pairwise
    from porism.lab.pipeline.rerankers.named import model_of, trained_kind
    from porism.lab.pipeline.rerankers.registry import reranker_kind
    from porism.lab.tuning import tune_first_stage
    from porism.lab.tuning.objectives import DEFAULT_MEASURE
    from porism.runs.run import Run
    from porism.search.searcher import IndexSearcher
    from porism.settings import parse_assignments
    from porism.vectors.neural.scoring.cache import ScoreCache

    if no_cache and cache_path is not None:
        raise click.UsageError("--cache and --no-cache exclude each other.")
    given = parse_assignments(assignments)
    _check_choice(qrels_path, measure, folds, given)
    cache_path = cache_path or output.with_name(f"{output.name}.scores")
    check_files([run_path, topics_path, qrels_path])
    check_folders([output, pairs_path])
    check_outputs({"--output": output, "--pairs": pairs_path}, [run_path], [topics_path, qrels_path])
    model = model_of(index_path, model)
    kind = kind or trained_kind(Path(model)) or "cross-encoder"
    method = reranker_kind(kind)
    settings = method.settings(model, given, Path())
    log = ProblemLog(problems_path)
    run = Run.read(run_path, log)
    topics = read_topics(topics_path)
    with ExitStack() as stack:
        index = stack.enter_context(IndexSearcher(index_path))
        compile_once(quiet)
        reranker: Any = method.make(settings, depth, index)
        if pairs_path is not None and (not hasattr(reranker, "last_pairs") or reranker.sorting is not None):
            raise click.UsageError("--pairs is for kinds that compare all pairs: duo-t5, pairwise-cross-encoder.")
        progress = stack.enter_context(counting_progress("re-ranking", quiet))
        _report_to(reranker, progress, lambda cost: _show(cost, quiet), log)
        if hasattr(reranker, "cache") and not no_cache:
            reranker.cache = stack.enter_context(ScoreCache(cache_path))
        started = time.monotonic()
        known = [topic for topic in topics if topic.id in run]
        choice: Tuned | CrossValidated | None = None
        qrels: dict[str, dict[str, int]] = {}
        if qrels_path is None:
            reranked = reranker.rerank(known, run, depth)
        else:
            qrels = restrict_qrels(read_qrels(qrels_path), index)
            reranked, choice = tune_first_stage(
                reranker, known, run, qrels, measure or DEFAULT_MEASURE, depth=depth,
                folds=_FOLDS if folds is None else folds, seed=seed,
            )
        seconds = time.monotonic() - started
    reranked.renamed(name).write(output)
    if pairs_path is not None:
        write_pairwise(pairs_path, reranker.last_pairs)
    if quiet:
        return
    log.close()
    longest = max((len(run[query_id]) for query_id in run), default=0)
    if longest < depth:
        echo(f"the run has {pluralise(longest, 'result')} a topic at most, fewer than the depth of {depth:,}", err=True)
    echo(f"{pluralise(len(reranked), 'topic')} re-ranked by {kind} in {seconds:.1f} s: {output}")
    if choice is not None:
        _show_choice(choice, run, reranked, qrels)


def _check_choice(qrels_path: Path | None, measure: str | None, folds: int | None, given: Mapping[str, Any]) -> None:
    """Whether the options that choose the share of the first stage fit together.

    :raises UsageError: they do not.
    """
    if qrels_path is None and (measure is not None or folds is not None):
        raise click.UsageError(f"{'--folds' if measure is None else '--measure'} works with --qrels only.")
    if folds == 1:
        raise click.UsageError("One fold leaves no topics to choose by: --folds is 0, or 2 or more.")
    if qrels_path is not None and "first_stage" in given:
        raise click.UsageError("--qrels chooses first_stage; leave --set first_stage out.")


def _show_choice(choice: Tuned | CrossValidated, first: Run, reranked: Run, qrels: Qrels) -> None:
    """The measure at each share, what was chosen, and whether the reranker helps its first stage: where topics were
    held out, by a test on them."""
    from porism.lab.evaluate import compare_runs
    from porism.lab.reports.words import p_value, signed
    from porism.lab.tuning import CrossValidated
    from porism.lab.tuning.reranking import FIRST_STAGE

    folds = choice.folds if isinstance(choice, CrossValidated) else ()
    whole = choice.whole if isinstance(choice, CrossValidated) else choice
    measure = whole.context["objective"]["measure"]
    scores = {float(trial.parameters[FIRST_STAGE]): trial.score for trial in whole.trials if trial.score is not None}
    echo(f"\n{'first_stage':>11}  {measure}")
    for share, score in scores.items():
        echo(f"{share:>11g}  {score:.4f}{'  the first stage alone' if share == 1 else ''}")
    echo("")
    best = float(whole.parameters[FIRST_STAGE])
    if not folds:
        echo("No share is better than the first stage alone on these topics: leave this reranker out." if best == 1 else
             f"For other topics: --set first_stage={best:g}. These topics chose it: compare it with the first stage on "
             "others.")
        return
    judged = {topic: qrels[topic] for topic in choice.topics}
    compared = compare_runs([first.renamed("first stage"), reranked], judged, [measure], test="permutation")
    ((_, test),) = compared.tests[measure].items()
    low, high = test.interval
    echo(f"held out, {pluralise(len(choice.topics), 'topic')}: {measure} {choice.score:.4f}; to the first stage alone "
         f"{signed(test.difference, 4)} ({signed(low, 4)} to {signed(high, 4)}), permutation test: p "
         f"{'' if test.p_value < 0.001 else '= '}{p_value(test.p_value)}")
    echo(f"the folds chose {', '.join(f'{fold.tuned.parameters[FIRST_STAGE]:g}' for fold in folds)}")
    if test.difference > 0 and test.p_value < _SIGNIFICANT:
        echo(f"For other topics: --set first_stage={best:g}")
    else:
        echo("No significant gain over the first stage alone: leave this reranker out.")


@contextmanager
def named_rerankers(index: DocumentSource, named: Sequence[str], depth: int | None) -> Iterator[list[Reranker]]:
    """The rerankers that ``porism search --rerank`` names; they report progress, what they could not score, and where
    it takes seconds how much there is to do.

    :raises ConfigError: there is no such reranker, or a setting does not exist or fit.
    """
    from porism.lab.pipeline.rerankers.named import named_reranker

    with counting_progress("re-ranking", False) as progress:
        rerankers = [named_reranker(index, name, depth) for name in named]
        for reranker in rerankers:
            _report_to(
                reranker, progress, lambda cost: _show(cost, cost.seconds < _LONG),
                lambda problem: echo(one_line(problem), err=True),
            )
        yield rerankers


def _report_to(
    reranker: Any, on_progress: Callable[[int, int], None], on_cost: Callable[[Cost], None], on_problem: OnProblem
) -> None:
    """Has a reranker report, as far as its kind does."""
    for attribute, value in (("on_progress", on_progress), ("on_cost", on_cost)):
        if hasattr(reranker, attribute):
            setattr(reranker, attribute, value)
    if hasattr(reranker, "texts"):
        reranker.texts.on_problem = on_problem


def _show(cost: Cost, quiet: bool) -> None:
    """Says how much there is to do."""
    if quiet:
        return
    known = f", {cost.cached:,} of them scored before" if cost.cached else ""
    minutes, seconds = divmod(round(cost.seconds), 60)
    hours, minutes = divmod(minutes, 60)
    about = f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
    left = cost.inputs - cost.cached
    work = f"; {cost.tokens:,} tokens to read, about {about}" if cost.tokens else ""
    work = work or ("; how long the others take is not known yet" if left else "")
    echo(f"{pluralise(cost.inputs, 'input')}{known}{work}", err=True)
