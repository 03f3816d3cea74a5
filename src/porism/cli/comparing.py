"""``porism compare``: runs side by side, tested, as a table and as reports."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.experiments import collection_qrels, judged_collection_options
from porism.cli.options import check_outputs, json_option, print_json
from porism.cli.progress import ProblemLog, compile_once
from porism.cli.settings_options import RenamedOption
from porism.cli.terminal import echo

if TYPE_CHECKING:
    from porism.lab.fusion import Fusion
    from porism.runs.run import Run

_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("run_paths", nargs=-1, required=True, type=_FILE, metavar="RUN...")
@click.option("--qrels", "qrels_path", required=True, type=_FILE, metavar="QRELS", help="The relevance judgments.")
@click.option("--baseline", metavar="NAME|best",
              show_default="the first run",
              help="The run that the others are tested against, by its name or file; best is the one with the highest "
                   "value of the first measure.")
@click.option("--names", metavar="NAMES", show_default="the last column of each file",
              help="Names of the runs, separated by commas, in their order.")
@click.option("--measures", metavar="NAMES",
              help="Measures, as in porism evaluate; plots and breakdowns are of the first.")
@click.option("--test", type=click.Choice(["t-test", "wilcoxon", "permutation"]), default="t-test", show_default=True,
              help="The paired two-tailed test.")
@click.option("--correction", type=click.Choice(["holm", "none"]), default="holm", show_default=True,
              help="How p-values are corrected for the number of runs; stars go by the corrected ones.")
@click.option("--missing", type=click.Choice(["zero", "skip"]), default="zero", show_default=True,
              help="Topics that no run answers count as zero, or are left out of the averages.")
@click.option("--depth", type=click.IntRange(min=1), default=1000, show_default=True, metavar="N",
              help="Results of a topic that count.")
@click.option("--confidence", "level", cls=RenamedOption, former=["--level"], default=0.95, show_default=True,
              type=click.FloatRange(0, 1, min_open=True, max_open=True),
              metavar="LEVEL", help="The level of confidence intervals.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, metavar="N",
              help="Other numbers draw other samples for intervals and the permutation test.")
@click.option("--p-values", is_flag=True,
              help="Also print the differences of every measure, with p-values before and after correction.")
@click.option("--topics", "topics_path", type=_FILE, metavar="FILE",
              help="The topics: adds results by length and by share of mathematics.")
@click.option("--information", "information_path", type=_FILE, metavar="CSV",
              help="A table of topics, ids first: adds results by its columns category, dependency and difficulty.")
@click.option("--by", "columns", multiple=True, metavar="COLUMN",
              help="With --information: results by this column instead; repeatable.")
@judged_collection_options
@click.option("--fused", metavar="NAME",
              show_default="each run whose record says that it is a fusion of two or more of the others",
              help="In plots: the ranks that the first results of this fused run have in the others.")
@click.option("--topic", metavar="ID", show_default="where the fusion gains most on its best source",
              help="The topic of the plot of --fused.")
@click.option("--ranks", type=click.Choice(["position", "file"]), default="position", show_default=True,
              help="Ranks in the plot of --fused: by score, or the rank column of the files.")
@click.option("--ablation", "methods", multiple=True, metavar="METHOD",
              help="What each run adds to a fusion of all by this method (porism fuse --list): the fusion without it, "
                   "and fusions of one run of each cluster. Fusions of the other runs are left out. Repeatable.")
@click.option("--title", default="Runs compared", show_default=True, help="The title of the HTML report.")
@click.option("--html", "html_path", type=_FILE, metavar="FILE",
              help="Write a page with all tables and plots; it needs no network and no script.")
@click.option("--latex", "latex_path", type=_FILE, metavar="FILE", help="Write tables for LaTeX with booktabs.")
@click.option("--csv", "csv_path", type=_FILE, metavar="FILE",
              help="Write a row for each run, and beside it in FILE.topics.csv a row for each topic and run; with "
                   "--ablation also FILE.ablation.csv.")
@click.option("--svg", "svg_path", type=_FILE, metavar="DIR", help="Write each plot as an SVG file into this folder.")
@json_option
def compare(
    run_paths: tuple[Path, ...], qrels_path: Path, baseline: str | None, names: str | None, measures: str | None,
    test: str, correction: str, missing: str, depth: int, level: float, seed: int, p_values: bool,
    topics_path: Path | None, information_path: Path | None, columns: tuple[str, ...], collection: Path | None,
    formulas: bool, fused: str | None, topic: str | None, ranks: str, methods: tuple[str, ...], title: str,
    html_path: Path | None, latex_path: Path | None, csv_path: Path | None, svg_path: Path | None, as_json: bool,
) -> None:
    """Compare the run files RUN by the judgments in QRELS.

    Prints a table of runs by measures, with a star (p < 0.05) or two (p < 0.01) where a run differs from the baseline;
    wins, ties and losses by topic; and confidence intervals. A run that was tuned on topics that it is scored on is
    marked, and a warning comes first.
    """
    if formulas and collection is None:
        raise click.UsageError("--formulas works with --collection only.")
    if columns and information_path is None:
        raise click.UsageError("--by works with --information only.")
    given_names = [name.strip() for name in names.split(",")] if names else []
    if given_names and (len(given_names) != len(run_paths) or not all(given_names)):
        raise click.UsageError(f"--names has {len(given_names)} names for {len(run_paths)} runs.")
    from porism.corpus import read_topic_information, read_topics
    from porism.extras import need
    from porism.lab import reports
    from porism.lab.evaluate import DEFAULT_MEASURES, parse_measures
    from porism.lab.evaluate.comparison import unique_names
    from porism.lab.fusion import LearnedFusion, make_fusion
    from porism.lab.reports.tables import topics_path as by_topic_path
    from porism.runs.run import Run

    check_outputs(
        {"--html": html_path, "--latex": latex_path, "--csv": csv_path,
         "--csv (by topic)": csv_path and by_topic_path(csv_path)},
        run_paths, (qrels_path, topics_path, information_path),
    )
    for target in (html_path, latex_path, csv_path):
        if target is not None:
            reports.check_target(target)
    if svg_path is not None:
        reports.check_folder(svg_path)
    detailed = html_path is not None or svg_path is not None
    if detailed:
        for module in ("matplotlib", "scipy", *(["jinja2"] if html_path else [])):
            need(module, "lab", "a report with plots")
    fusions = {method: make_fusion(method) for method in dict.fromkeys(methods)}
    if fusions and len(run_paths) < 2:
        raise click.UsageError("--ablation takes two runs or more.")
    for method, fusion in fusions.items():
        if isinstance(fusion, LearnedFusion) and fusion.must_learn:
            raise click.UsageError(f"{method} has to learn from judgments; name a method that does not.")
    if fusions and len(run_paths) > 2:
        need("scipy", "lab", "the clustering of runs")
    chosen = parse_measures(measures) if measures else DEFAULT_MEASURES
    log = ProblemLog()
    runs = [Run.read(path, log, ranks=ranks) for path in run_paths]  # type: ignore[arg-type]  # click checked it
    qrels = collection_qrels(qrels_path, collection, formulas)
    names_given = given_names or [run.name for run in runs]
    members = [run.renamed(name) for run, name in zip(runs, unique_names(names_given)[0], strict=True)]
    if fusions:
        known = {run.name for run in runs}
        combined = [run.name for run, read in zip(members, runs, strict=True) if _is_fusion(read, known)]
        members = [run for run in members if run.name not in combined]
        if len(members) < 2:
            raise click.UsageError("--ablation needs two runs or more that are not fusions of each other.")
        if combined:
            echo(f"Not in the ablation, as fusions of the others: {', '.join(combined)}.", err=True)
        compile_once(fusing=True)
    ablations = [
        reports.make_ablation(
            method, members, partial(_fused, fusion, depth), qrels, chosen[0],
            test=test, missing=missing, depth=depth, seed=seed,  # type: ignore[arg-type]  # click checked them
        )
        for method, fusion in fusions.items()
    ]
    report = reports.make_report(
        runs, qrels, chosen, names=given_names or None,
        baseline=0 if baseline is None else _named(baseline, run_paths, names_given),
        test=test, missing=missing, correction=correction,  # type: ignore[arg-type]  # click checked them
        depth=depth, level=level, seed=seed,
        queries=read_topics(topics_path) if topics_path else (),
        information=read_topic_information(information_path) if information_path else None,
        columns=columns or None, topic=topic, title=title,
        fused=_named(fused, run_paths, names_given) if fused else None, ablations=ablations,
        judgments=f"{qrels_path.name}{', restricted to a collection' if collection else ''}", detailed=detailed,
    )
    log.close()
    written: list[Path] = []
    drawn = reports.plots(report) if detailed else []
    if html_path is not None:
        written.append(reports.write_html(report, html_path, drawn))
    if latex_path is not None:
        written.append(reports.write_latex(report, latex_path))
    if csv_path is not None:
        written += reports.write_csv(report, csv_path)
    if svg_path is not None:
        written += reports.write_plots(drawn, svg_path)
    if as_json:
        print_json(reports.report_values(report))
        return
    echo(reports.text_table(report, p_values=p_values))
    if written:
        echo(f"Written: {', '.join(map(str, written))}.", err=True)


def _fused(fusion: Fusion, depth: int, members: Sequence[Run]) -> Run:
    return fusion.fuse(members, depth=depth)


def _is_fusion(run: Run, known: Collection[str]) -> bool:
    """Whether a run is a fusion of two or more of the known runs, by its record: it contains runs that are left out."""
    made_by = run.provenance.made_by if run.provenance else {}
    sources = made_by.get("sources")
    return made_by.get("kind") == "fusion" and isinstance(sources, list) and len({*sources} & {*known}) > 1


def _named(given: str, paths: tuple[Path, ...], given_names: list[str]) -> str:
    """The name that a run has in the comparison, given that name or the run's file."""
    from porism.lab.evaluate.comparison import unique_names

    names, _ = unique_names(given_names)
    if given in names or given == "best" or Path(given) not in paths:
        return given
    return names[paths.index(Path(given))]
