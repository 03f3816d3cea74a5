"""``porism run`` and ``porism evaluate``: official topics, and how good the results are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.options import (
    check_formula_options,
    filter_option,
    index_option,
    json_option,
    model_option,
    open_with_model,
    print_json,
)
from porism.cli.progress import ProblemLog, counting_progress

if TYPE_CHECKING:
    from porism.provenance import Provenance


@click.command()
@index_option
@click.option("--topics", "topics_path", required=True, type=click.Path(path_type=Path), metavar="FILE",
              help="ARQMath or NTCIR-12 topics, or lines of JSON, or lines of id, tab, text.")
@click.option("--output", required=True, type=click.Path(path_type=Path), metavar="RUN", help="The TREC run to write.")
@click.option("--formulas", is_flag=True, help="Topics ask for formulas; results are visual ids, as in ARQMath Task 2.")
@click.option("--context/--no-context", default=None,
              help="With --formulas: whether the other fields of a topic count.  [default: no-context]")
@click.option("-k", type=click.IntRange(min=1), default=1000, show_default=True, help="Results a topic.")
@filter_option
@click.option("--name", default="porism", show_default=True, help="The name of the run, its last column.")
@model_option
@click.option("--quiet", is_flag=True, help="No progress bar and no summary.")
def run(
    index_path: Path, topics_path: Path, output: Path, formulas: bool, context: bool | None, k: int,
    filters: tuple[str, ...], name: str, model_name: str, quiet: bool,
) -> None:
    """Answer a file of topics and write the results as a TREC run.

    Beside the run, in RUN.provenance.json, stand the model that made it, the topics that this was tuned on and how long
    each topic took; porism evaluate and porism compare read it there.
    """
    check_formula_options(formulas, context=context is not None)
    import time

    from porism.corpus import read_topics
    from porism.run import Run
    from porism.searching import filters_from_strings

    log = ProblemLog()
    topics = read_topics(topics_path)
    results: dict[str, list[tuple[str, float]]] = {}
    seconds_of: dict[str, float] = {}
    provenance: Provenance | None = None
    with open_with_model(index_path, model_name, formulas) as index, counting_progress("topics", quiet) as progress:
        chosen = filters_from_strings(filters)
        started = time.monotonic()
        for done, topic in enumerate(topics, 1):
            if formulas:
                found = index.run_formulas([topic], k, context=bool(context), filters=chosen, on_problem=log)
            else:
                found = index.run([topic], k, filters=chosen)
            results[topic.id] = found[topic.id]
            if found.provenance is not None:
                provenance = found.provenance
                seconds_of.update(provenance.seconds)
            progress(done, len(topics))
        seconds = time.monotonic() - started
    if provenance is not None:
        provenance = replace(provenance, seconds=seconds_of)
    Run(results, name, provenance=provenance).write(output)
    if not quiet:
        log.close()
        count = sum(map(len, results.values()))
        click.echo(
            f"{len(topics):,} topics, {count:,} results in {seconds:.1f} s "
            f"({1000 * seconds / max(1, len(topics)):.1f} ms a topic): {output}"
        )
        if empty := [topic for topic, ranked in results.items() if not ranked]:
            click.echo(f"no results for {len(empty):,} topics: {', '.join(empty[:10])}", err=True)


@click.command()
@click.argument("run_path", type=click.Path(path_type=Path), metavar="RUN")
@click.argument("qrels_path", type=click.Path(path_type=Path), metavar="QRELS")
@click.option("--measures", metavar="NAMES",
              help="Separated by commas or blanks, e.g. \"nDCG' AP(rel=2) P@10\"; a prime removes unjudged documents.")
@click.option("--per-topic", is_flag=True, help="Also a line for each topic.")
@click.option("--missing", type=click.Choice(["zero", "skip"]), default="zero", show_default=True,
              help="Topics that the run does not answer count as zero, or are left out of the averages.")
@click.option("--collection", type=click.Path(path_type=Path), metavar="DIR",
              help="An index: judgments of documents that it does not hold are left out, and topics with none left.")
@click.option("--formulas", is_flag=True, help="With --collection: results are formulas, named as by run --formulas.")
@json_option
def evaluate(
    run_path: Path, qrels_path: Path, measures: str | None, per_topic: bool, missing: str, collection: Path | None,
    formulas: bool, as_json: bool,
) -> None:
    """Score the run file RUN by the judgments in QRELS.

    Without --measures: nDCG', MAP', P'@10 (unjudged documents removed; a gain of 2 or more is relevant where a measure
    is binary), bpref, judged@10 and the number of relevant documents retrieved.
    """
    from porism.corpus import read_qrels
    from porism.evaluate import DEFAULT_MEASURES, evaluate_run, parse_measures, restrict_qrels
    from porism.run import Run

    if formulas and collection is None:
        raise click.UsageError("--formulas works with --collection only.")
    log = ProblemLog()
    found = Run.read(run_path, log)
    qrels = read_qrels(qrels_path)
    if collection is not None:
        from porism.searching import open_index

        with open_index(collection) as index:
            qrels = restrict_qrels(qrels, index.formula_names() if formulas else index)
    chosen = parse_measures(measures) if measures else DEFAULT_MEASURES
    evaluation = evaluate_run(found, qrels, chosen, missing=missing)  # type: ignore[arg-type]  # click checked it
    log.close()
    if as_json:
        print_json(evaluation.to_dict(per_topic=per_topic))
        return
    click.echo(evaluation.table(per_topic=per_topic))
