"""``porism run`` and ``porism evaluate``: official topics, and how good the results are."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from porism.cli.options import (
    Indexes,
    all_options,
    check_formula_options,
    filter_option,
    json_option,
    model_option,
    open_searched,
    print_json,
    quiet_option,
    searched_indexes_option,
    seconds_option,
)
from porism.cli.progress import ProblemLog, counting_progress
from porism.cli.terminal import echo
from porism.errors import pluralise

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from porism.errors import OnProblem
    from porism.lab.evaluate import Qrels
    from porism.lab.evaluate.breakdown import Groups
    from porism.runs.provenance import Provenance

QUERY_GROUPS = ("length", "math-share")
"""Groups of topics that need no table of information."""


judged_collection_options = all_options(
    click.option("--collection", type=click.Path(path_type=Path), metavar="DIR",
                 help="An index: judgments of documents that it does not contain are left out, and then topics without "
                      "any relevant document."),
    click.option("--formulas", is_flag=True,
                 help="With --collection: judgments are of formulas, as porism run --formulas names them."),
)
"""The options that restrict judgments to an index; :func:`collection_qrels` reads them."""


def collection_qrels(path: Path, collection: Path | None, formulas: bool) -> Qrels:
    """The judgments of a file, of what a collection has where one is given."""
    from porism.corpus import read_qrels
    from porism.lab.evaluate import restrict_qrels
    from porism.search.index import open_index

    qrels = read_qrels(path)
    if collection is None:
        return qrels
    with open_index(collection) as index:
        return restrict_qrels(qrels, index.formula_names() if formulas else index)


@click.command()
@searched_indexes_option
@click.option("--topics", "topics_path", required=True, type=click.Path(path_type=Path), metavar="FILE",
              help="The topics: XML of ARQMath Task 1 or 2, NTCIR-12 lines, lines of JSON (id, query), or "
                   "lines of id, tab, text.")
@click.option("--output", required=True, type=click.Path(path_type=Path), metavar="RUN", help="The TREC run to write.")
@click.option("--formulas", is_flag=True, help="Find formulas, as in ARQMath Task 2.")
@click.option("--context/--no-context", default=None,
              show_default="no-context",
              help="With --formulas: whether the other fields of a topic (title, question, tags) count; formulas of "
                   "documents that fit them move up.")
@click.option("-k", type=click.IntRange(min=1), default=1000, show_default=True, metavar="N",
              help="Results of a topic.")
@filter_option
@click.option("--name", default="porism", show_default=True, help="The name of the run, its last column.")
@model_option
@seconds_option
@quiet_option
def run(
    indexes: Indexes, topics_path: Path, output: Path, formulas: bool, context: bool | None, k: int,
    filters: tuple[str, ...], name: str, model_name: str, seconds: float, quiet: bool,
) -> None:
    """Answer a file of topics and write the results as a TREC run.

    Beside the run, RUN.provenance.json has the model with all its settings, the topics that it was tuned on, and the
    seconds of each topic. porism evaluate and porism compare read it, and report if a run is scored on topics that it
    was tuned on. If a server does not answer a topic, there is no run.

    With --formulas, the query is the field formula of a topic, or else all its formulas. A formula gives its score to
    all its visual ids, and a visual id has the score of its best formula; formulas without a visual id are left out. If
    the collection has none, the run has the ids of its formulas, or else document/field/number.
    """
    check_formula_options(formulas, context=context is not None)
    import time

    from porism.corpus import read_topics
    from porism.runs.run import Run
    from porism.search.index import filters_from_strings

    log = ProblemLog()
    topics = read_topics(topics_path)
    results: dict[str, list[tuple[str, float]]] = {}
    seconds_of: dict[str, float] = {}
    provenance: Provenance | None = None
    with (
        open_searched(indexes, model_name, formulas, seconds, quiet) as searcher,
        counting_progress("topics", quiet) as progress,
    ):
        answer: Callable[..., Run] = searcher.run
        if formulas:
            answer = partial(searcher.run_formulas, context=bool(context), on_problem=log)
        chosen = filters_from_strings(filters)
        started = time.monotonic()
        for done, topic in enumerate(topics, 1):
            answered = answer([topic], k, filters=chosen)
            results[topic.id] = answered[topic.id]
            if answered.provenance is not None:
                provenance = answered.provenance
                seconds_of.update(provenance.seconds)
            progress(done, len(topics))
        taken = time.monotonic() - started
    if provenance is not None:
        provenance = replace(provenance, seconds=seconds_of)
    Run(results, name, provenance=provenance).write(output)
    if not quiet:
        log.close()
        count = sum(map(len, results.values()))
        echo(
            f"{pluralise(len(topics), 'topic')}, {pluralise(count, 'result')} in {taken:.1f} s "
            f"({1000 * taken / max(1, len(topics)):.1f} ms a topic): {output}"
        )
        if empty := [topic for topic, ranked in results.items() if not ranked]:
            echo(f"no results for {pluralise(len(empty), 'topic')}: {', '.join(empty[:10])}", err=True)


@click.command()
@click.argument("run_path", type=click.Path(path_type=Path), metavar="RUN")
@click.argument("qrels_path", type=click.Path(path_type=Path), metavar="QRELS")
@click.option("--measures", metavar="NAMES",
              help="Measures of ir_measures, separated by commas or blanks, e.g. \"nDCG' AP(rel=2) P@10\"; a prime "
                   "removes unjudged documents first.")
@click.option("--per-topic", is_flag=True, help="Also print the values of each topic.")
@click.option("--missing", type=click.Choice(["zero", "skip"]), default="zero", show_default=True,
              help="Topics that the run does not answer count as zero, or are left out of the averages.")
@judged_collection_options
@click.option("--confidence", type=click.FloatRange(0, 1, min_open=True, max_open=True), metavar="LEVEL",
              help="Also print bootstrap intervals over topics at this level, e.g. 0.95.")
@click.option("--depths", metavar="NUMBERS",
              help="Also print the measures of the first results alone, e.g. 10,100,1000, with intervals and the "
                   "number of judged results in 1,000.")
@click.option("--by", "columns", multiple=True, metavar="COLUMN",
              help="Also print a table by groups of topics: length (in tokens) or math-share, which need --topics and "
                   "make four groups of about one size, or a column of --information; repeatable.")
@click.option("--topics", "topics_path", type=click.Path(path_type=Path), metavar="FILE",
              help="The topics, for --by length and --by math-share.")
@click.option("--information", "information_path", type=click.Path(path_type=Path), metavar="CSV",
              help="A table of the topics, for --by: a column of ids and others, e.g. category.")
@click.option("--times", is_flag=True,
              help="Also print how long queries took (median, 95th percentile, worst), from the record beside the run.")
@json_option
def evaluate(
    run_path: Path, qrels_path: Path, measures: str | None, per_topic: bool, missing: str, collection: Path | None,
    formulas: bool, confidence: float | None, depths: str | None, columns: tuple[str, ...], topics_path: Path | None,
    information_path: Path | None, times: bool, as_json: bool,
) -> None:
    """Score the run file RUN by the judgments in QRELS.

    Without --measures: nDCG', MAP', P'@10 (unjudged documents removed; a gain of 2 or more is relevant where a measure
    is binary), bpref, judged@10 and the number of relevant documents retrieved.
    """
    from porism.lab.evaluate import (
        DEFAULT_MEASURES,
        breakdown,
        evaluate_at_depths,
        evaluate_run,
        evaluation_intervals,
        parse_measures,
        time_statistics,
    )
    from porism.runs.run import Run

    if formulas and collection is None:
        raise click.UsageError("--formulas works with --collection only.")
    check_groups(columns, topics_path, information_path)
    chosen = parse_measures(measures) if measures else DEFAULT_MEASURES
    cuts = parse_depths(depths) if depths is not None else ()
    log = ProblemLog()
    scored = Run.read(run_path, log)
    qrels = collection_qrels(qrels_path, collection, formulas)
    groups = topic_groups(columns, topics_path, information_path, qrels, log)
    evaluation = evaluate_run(scored, qrels, chosen, missing=missing)  # type: ignore[arg-type]  # click checked it
    more: dict[str, Any] = {}
    intervals = evaluation_intervals(evaluation, confidence) if confidence is not None else {}
    if cuts:
        more["depths"] = evaluate_at_depths(
            scored, qrels, chosen, cuts, missing=missing, level=confidence or 0.95  # type: ignore[arg-type]
        )
    tables = [breakdown(evaluation, members, by=by) for by, members in groups.items()]
    if times:
        more["times"] = time_statistics(scored)
    log.close()
    if as_json:
        value = evaluation.to_dict(per_topic=per_topic)
        if confidence is not None:
            value |= {"confidence": confidence, "intervals": {name: list(ends) for name, ends in intervals.items()}}
        value |= {name: part.to_dict() for name, part in more.items()}
        print_json(value | ({"breakdowns": [table.to_dict() for table in tables]} if tables else {}))
        return
    sections = [evaluation.table(per_topic, intervals)]
    if intervals:
        sections[0] += f"\nin brackets: {100 * (confidence or 0):.4g}% bootstrap intervals over topics"
    if cuts:
        sections.append(more["depths"].table())
    sections += [table.table() for table in tables]
    if times:
        sections.append(str(more["times"]))
    echo("\n\n".join(sections))


def parse_depths(text: str) -> tuple[int, ...]:
    """Whole numbers from 1, separated by commas or blanks.

    :raises ConfigError: there is none, or something else.
    """
    from porism.errors import ConfigError

    pieces = text.replace(",", " ").split()
    if not pieces or not all(piece.isascii() and piece.isdigit() and int(piece) for piece in pieces):
        raise ConfigError(f"{text!r} are not whole numbers of 1 or more", hint="For example: --depths 10,100,1000.")
    return tuple(map(int, pieces))


def check_groups(columns: tuple[str, ...], topics_path: Path | None, information_path: Path | None) -> None:
    """Refuses a breakdown without the file that it needs.

    :raises click.UsageError: such a file is not given.
    """
    for column in columns:
        if column in QUERY_GROUPS and topics_path is None:
            raise click.UsageError(f"--by {column} needs the topics: --topics FILE.")
        if column not in QUERY_GROUPS and information_path is None:
            raise click.UsageError(
                f"--by {column} needs a table of the topics: --information CSV. "
                f"Without it topics can be grouped by {' or '.join(QUERY_GROUPS)}."
            )


def topic_groups(
    columns: tuple[str, ...], topics_path: Path | None, information_path: Path | None, judged: Container[str],
    on_problem: OnProblem,
) -> dict[str, Groups]:
    """What to break down by → groups of topics, as ``--by`` asks for them; those of queries are made of judged ones.

    :raises ConfigError: the topic information has no such column.
    """
    from porism.corpus import read_topic_information, read_topics
    from porism.lab.evaluate import groups_by, length_groups, math_share_groups

    if not columns:
        return {}
    topics = read_topics(topics_path, on_problem=on_problem) if topics_path else []
    queries = [topic for topic in topics if topic.id in judged]
    information = read_topic_information(information_path) if information_path else {}
    groups: dict[str, Groups] = {}
    for column in columns:
        if column == "length":
            groups[column] = length_groups(queries)
        elif column == "math-share":
            groups[column] = math_share_groups(queries)
        else:
            groups[column] = groups_by(information, column)
    return groups
