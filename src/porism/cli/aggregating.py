"""``porism aggregate`` and ``porism flips``: a run from pairwise scores, and their contradictions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from porism.cli.fusing import check_files, check_folders
from porism.cli.options import all_options, check_outputs, list_option, problems_option, quiet_option
from porism.cli.progress import ProblemLog
from porism.cli.settings_options import RenamedOption
from porism.cli.terminal import echo
from porism.errors import pluralise

if TYPE_CHECKING:
    from porism.lab.pairwise import PairwiseRun
    from porism.runs.run import Run


_pairs_options = all_options(
    click.option("--run", "run_path", type=click.Path(path_type=Path), metavar="RUN",
                 help="The TREC run whose documents were compared, in their order."),
    click.option("--duplicates", type=click.Choice(["error", "mean", "last"]), default="error", show_default=True,
                 help="What a pair with several scores gets."),
    click.option("--invalid", type=click.Choice(["error", "skip"]), default="error", show_default=True,
                 help="Whether scores that are not a probability are refused or left out."),
    click.option("--unknown", type=click.Choice(["error", "drop"]), default="error", show_default=True,
                 help="Whether documents that --run does not have are refused or left out."),
)
"""The options of commands that read pairwise scores."""


@click.command()
@click.argument("pairs_path", type=click.Path(path_type=Path), metavar="PAIRS")
@click.option("--method", default="sym-sum", show_default=True, metavar="NAME",
              help="How to aggregate; --list shows all.")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE",
              help="A parameter of the method, e.g. cuts=200,100,50, or cuts=[100] for a single cut; repeatable.")
@click.option("--output", type=click.Path(path_type=Path), metavar="RUN", help="The TREC run to write.")
@_pairs_options
@click.option("--depth", type=click.IntRange(min=1), metavar="N",
              show_default="all that were compared", help="Only the first N documents of --run are candidates.")
@click.option("--missing-scores", "holes", cls=RenamedOption, former=["--holes"],
              type=click.Choice(["error", "complement", "half"]), default="complement", show_default=True,
              help="What a pair without a score gets: an error, one minus the score of the other order, or 1/2.")
@click.option("--name", metavar="NAME", show_default="the method", help="The name of the new run, its last column.")
@click.option("--store", "store_path", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the pairwise scores as they were read and repaired: .npz, .jsonl, .csv or TSV.")
@list_option("porism.lab.pairwise:AGGREGATIONS", "methods with their parameters")
@problems_option
@quiet_option
def aggregate(
    pairs_path: Path, method: str, assignments: tuple[str, ...], output: Path | None, run_path: Path | None,
    duplicates: str, invalid: str, unknown: str, depth: int | None, holes: str, name: str | None,
    store_path: Path | None, problems_path: str | None, quiet: bool,
) -> None:
    """Aggregate the pairwise scores in PAIRS into a run.

    PAIRS has lines of query, two documents, and the probability that the first is more relevant: between tabs or
    spaces, as CSV, as JSON lines, or as an archive (.npz). With --run, documents that were not compared follow in their
    order.
    """
    import time

    from porism.lab.pairwise import aggregate as aggregated
    from porism.lab.pairwise import make_aggregation, write_pairwise
    from porism.settings import parse_assignments

    if output is None and store_path is None:
        raise click.UsageError("Give --output RUN or --store FILE.")
    if depth is not None and run_path is None:
        raise click.UsageError("--depth works with --run only, which has the order of the documents.")
    aggregation = make_aggregation(method, parse_assignments(assignments))
    check_outputs({"--output": output, "--store": store_path}, [] if run_path is None else [run_path], [pairs_path])
    check_folders([output, store_path])
    log = ProblemLog(problems_path)
    pairs, first = _read(pairs_path, run_path, depth, duplicates, invalid, unknown, log)
    started = time.monotonic()
    if store_path is not None:
        write_pairwise(store_path, pairs)
    if output is not None:
        run = aggregated(pairs, aggregation, name=name, holes=holes, on_problem=log)  # type: ignore[arg-type]
        if first is not None:
            run = _with_rest(run, first, log)
        run.write(output)
    seconds = time.monotonic() - started
    log.close()
    if quiet:
        return
    scored = f"{pluralise(len(pairs), 'query', 'queries')}, {pluralise(pairs.pairs, 'pair')}"
    if output is not None:
        echo(f"{scored} aggregated by {method} in {seconds:.1f} s: {output}")
    if store_path is not None:
        echo(f"{scored}: {store_path}")


@click.command()
@click.argument("pairs_path", type=click.Path(path_type=Path), metavar="PAIRS")
@_pairs_options
@click.option("--depths", metavar="N,N,…",
              show_default="all",
              help="Numbers of candidates, e.g. 30,50,100: the first of --run, or of an archive that keeps the order.")
@click.option("--output", type=click.Path(path_type=Path), metavar="TSV",
              help="Write a line for each query and depth: pairs, flips, rate.")
@click.option("--plot", "plot_path", type=click.Path(path_type=Path), metavar="SVG",
              help="Draw the distribution of the rates of queries.")
@problems_option
def flips(
    pairs_path: Path, run_path: Path | None, duplicates: str, invalid: str, unknown: str, depths: str | None,
    output: Path | None, plot_path: Path | None, problems_path: str | None,
) -> None:
    """Count flips: pairs of which a model prefers one document in one order and the other in the other order.

    Prints the median, mean and largest share of pairs of a query that flip, for each number of candidates.
    """
    from statistics import mean, median

    from porism.errors import ConfigError
    from porism.lab.pairwise import flips_at
    from porism.system.files.text import write_whole

    check_outputs({"--output": output, "--plot": plot_path}, [] if run_path is None else [run_path], [pairs_path])
    check_folders([output, plot_path])
    cutoffs = _depths(depths)
    log = ProblemLog(problems_path)
    pairs, _ = _read(pairs_path, run_path, None, duplicates, invalid, unknown, log)
    if cutoffs and not all(query.ranked for query in pairs.queries):
        raise ConfigError(
            "--depths needs the order of the documents",
            hint="Give the run that was compared: --run RUN.",
        )
    flips_by_depth = flips_at(pairs, cutoffs)
    log.close()
    echo(f"{'candidates':>10}  {'queries':>7}  {'pairs':>9}  {'flips':>9}  {'median':>6}  {'mean':>6}  {'most':>6}")
    for depth, queries in flips_by_depth.items():
        rates = [query.rate for query in queries]
        counts = f"{sum(query.pairs for query in queries):>9,}  {sum(query.flips for query in queries):>9,}"
        shares = "  ".join(f"{share:>6.1%}" for share in (median(rates), mean(rates), max(rates)))
        echo(f"{depth:>10,}  {len(rates):>7,}  {counts}  {shares}")
    if output is not None:
        lines = ["query\tcandidates\tpairs\tflips\trate"]
        lines += [
            f"{query.query_id}\t{query.candidates}\t{query.pairs}\t{query.flips}\t{query.rate:.6f}"
            for queries in flips_by_depth.values() for query in queries
        ]
        write_whole(output, "\n".join(lines) + "\n")
    if plot_path is not None:
        from porism.lab.reports.flip_plots import flips_plot
        from porism.lab.reports.picture import svg

        rates_at = {depth: [query.rate for query in queries] for depth, queries in flips_by_depth.items()}
        write_whole(plot_path, svg(flips_plot(rates_at), standalone=True))


def _depths(given: str | None) -> list[int]:
    """Numbers between commas.

    :raises click.UsageError: a part is not a whole number of 1 or more.
    """
    if given is None:
        return []
    try:
        numbers = [int(part) for part in given.split(",")]
    except ValueError:
        numbers = [0]
    if min(numbers) < 1:
        raise click.UsageError(f"--depths is {given}; write whole numbers of 1 or more between commas: 30,50,100.")
    return list(dict.fromkeys(numbers))


def _read(
    path: Path, run_path: Path | None, depth: int | None, duplicates: str, invalid: str, unknown: str, log: ProblemLog
) -> tuple[PairwiseRun, Run | None]:
    """The pairwise scores, in the order of the run if it is given, and that run."""
    from porism.lab.pairwise import ranked_by, read_pairwise
    from porism.runs.run import Run

    check_files([path, run_path])
    pairs = read_pairwise(
        path, duplicates=duplicates, invalid=invalid, on_problem=log,  # type: ignore[arg-type]  # click checked them
    )
    if run_path is None:
        return pairs, None
    first = Run.read(run_path, log)
    return ranked_by(pairs, first, depth=depth, unknown=unknown, on_problem=log), first  # type: ignore[arg-type]


def _with_rest(run: Run, first: Run, log: ProblemLog) -> Run:
    """The run of the first stage, with the aggregated documents first."""
    import numpy as np

    from porism.errors import Problem
    from porism.lab.pipeline import rescored
    from porism.runs.provenance import Provenance

    lacking = [query_id for query_id in first if query_id not in run]
    if lacking:
        log(Problem(
            f"query {lacking[0]}",
            "it has no pairwise scores, and keeps its order"
            + (f"; so do {pluralise(len(lacking) - 1, 'other query', 'other queries')}" if len(lacking) > 1 else ""),
        ))
    scores: dict[str, Any] = {}
    for query_id in run:
        new = dict(run[query_id])
        scores[query_id] = np.array([new.get(doc_id, np.nan) for doc_id, _ in first[query_id]])
    merged = Provenance.merged([first.provenance], run.provenance.made_by if run.provenance else {})
    return rescored(first, scores, run.name).with_provenance(merged)
