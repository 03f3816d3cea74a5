"""A report as one HTML page: no script, nothing from elsewhere, light and dark, readable on a phone and on paper."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from porism.extras import need
from porism.lab.evaluate import Breakdown, Evaluation
from porism.lab.reports.ablations import Ablation
from porism.lab.reports.canvas import Plot
from porism.lab.reports.extensions import EXTENSION_NOTE, extension_table
from porism.lab.reports.files import check_target
from porism.lab.reports.picture import svg
from porism.lab.reports.plots import plots
from porism.lab.reports.questions import formula_style, question_text
from porism.lab.reports.report import Report
from porism.lab.reports.statements import headline, method, versions, warnings
from porism.lab.reports.theme import css_variables
from porism.lab.reports.words import number, p_value, per_cent, signed
from porism.search.printable import printable
from porism.system.files.text import write_whole

SECTIONS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("differences-section", "Differences", ("intervals", "differences", "spread")),
    ("curves", "Recall and depth", ("precision-recall", "depths")),
    ("queries", "Kinds of queries", ("length", "math-share", "by-")),
    ("diversity", "How alike the runs are", ("clustering", "similarity-")),
    ("fusion", "What fusion takes from its sources", ("rank-positions",)),
    ("extensions", "What each extension adds", ("extensions",)),
    ("ablations", "What members add to fusions", ()),
    ("tuning-section", "Tuning", ("tuning",)),
    ("time", "Time", ("times",)),
)
"""Id, title, and how the names of the plots in it begin."""

_SHOWN_PROVENANCE = 300
_UNBROKEN = 18
_EXTREMES = 3
"""How many of the best and of the worst topics are shown with what they ask."""


def html_page(report: Report, drawn: Sequence[Plot] | None = None) -> str:
    """The report as HTML; the same report gives the same text.

    :param drawn: the plots, if they were drawn already.
    :raises MissingExtra: Jinja or matplotlib is not installed.
    """
    jinja2 = need("jinja2", "lab", "an HTML report")
    markup = need("markupsafe", "lab", "an HTML report").Markup
    folder = resources.files("porism.lab.reports") / "templates"
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["breakable"] = lambda name: markup(_breakable(name, markup))
    template = environment.from_string((folder / "report.html.j2").read_text(encoding="utf-8"))
    questions = {topic: markup(question_text(query)) for topic, query in report.queries.items()}
    has_formulas = any("<math" in question for question in questions.values())
    shown = list(drawn) if drawn is not None else plots(report) if report.detailed else []
    sections: list[dict[str, Any]] = [
        {
            "id": place, "title": title,
            "plots": [
                {"title": plot.title, "caption": plot.caption, "svg": markup(svg(plot))}
                for plot in shown if plot.name.startswith(starts)
            ],
            "tables": [_by_group(report, part) for part in report.breakdowns] if place == "queries" else
            [_ablation(part) for part in report.ablations] if place == "ablations" else
            [_extensions(report)] if place == "extensions" and report.extensions else
            [_times(report)] if place == "time" and report.times else
            [_extremes(report, questions)] if place == "differences-section" and questions else [],
        }
        for place, title, starts in SECTIONS
    ]
    sections = [section for section in sections if section["plots"] or section["tables"]]
    comparison = report.comparison
    several = len(report.names) > 1
    headings = [{"id": "runs", "title": "Runs by measures"}]
    headings += [{"id": "baseline", "title": f"Beside {report.baseline}"}] if several else []
    headings += [{"id": section["id"], "title": section["title"]} for section in sections]
    headings += [{"id": "topics", "title": "Every topic"}, {"id": "method", "title": "How this was measured"}]
    count = len(comparison.topics)
    words: dict[str, Any] = {
        "title": report.title,
        "warnings": warnings(report),
        "headline": headline(report),
        "facts": f"{len(report.names)} {'runs' if several else 'run'}, {count:,} {'topics' if count != 1 else 'topic'} "
                 f"of {report.judgments}.",
        "headings": headings,
        "legend": _legend(report),
        "measures": comparison.measures,
        "runs": [_run(report, evaluation) for evaluation in comparison.evaluations],
        "baseline": report.baseline,
        "level": per_cent(comparison.level),
        "against": [_against(report, measure) for measure in comparison.measures] if several else [],
        "sections": sections,
        "topics": _topics(report, questions),
        "method": method(report),
        "definitions": [(repr(measure), measure.definition) for measure in comparison.evaluations[0].measures],
        "evidence": [
            f"{name}: {sentence}" for name, records in report.evidence.items() for sentence in map(_evidence, records)
        ],
        "versions": versions(),
    }
    return printable(template.render(
        **words, variables=markup(css_variables()),
        formula_css=markup(formula_style()) if has_formulas else "",
        css=markup((folder / "report.css").read_text(encoding="utf-8")),
    ))


def write_html(report: Report, path: str | os.PathLike[str], drawn: Sequence[Plot] | None = None) -> Path:
    """Writes :func:`html_page`; the file appears whole or not at all.

    :raises SourceError: it cannot be written.
    :raises MissingExtra: Jinja or matplotlib is not installed.
    """
    return write_whole(check_target(path), html_page(report, drawn))


def _breakable(name: str, markup: Any) -> str:
    """Long names of runs break behind an underscore or a hyphen and not amid a word; short ones do not break."""
    if hasattr(name, "__html__"):
        return name
    if len(name) <= _UNBROKEN:
        return str(markup('<span class="whole">{}</span>').format(name))
    return str(markup("<wbr>").join(re.split(r"(?<=[_\-./:])(?=\w)", name)))


def _legend(report: Report) -> str:
    best = "; the best values are bold" if len(report.names) > 1 else ""
    said = [f"Below each value its {per_cent(report.comparison.level)} confidence interval{best}."]
    if len(report.names) > 1:
        said.append(
            "‡ is the baseline; * and ** differ from it with p < 0.05 and p < 0.01, "
            f"{report.comparison.corrected} for the number of runs."
        )
    if report.tuned:
        said.append("† was tuned on topics that it is scored on here.")
    return " ".join(said)


def _run(report: Report, evaluation: Evaluation) -> dict[str, Any]:
    name = evaluation.run_name
    cells = []
    for measure in report.comparison.measures:
        result = report.result(measure, name)
        ends = report.intervals[measure].get(name)
        digits = 0 if evaluation.is_count(measure) else 3
        cells.append({
            "value": number(evaluation.aggregated[measure]),
            "stars": result.stars if result else "",
            "interval": f"{number(ends[0], digits)}–{number(ends[1], digits)}" if ends else "",
            "best": len(report.names) > 1 and name in report.best(measure),
        })
    made_by = json.dumps(dict(report.made_by.get(name, {})), ensure_ascii=False, sort_keys=True, default=str)
    return {
        "name": name,
        "baseline": len(report.names) > 1 and name == report.baseline,
        "tuned": bool(evaluation.tuned_on),
        "tuned_count": f"{len(evaluation.tuned_on):,}" if evaluation.tuned_on else "none known",
        "answered": f"{len(evaluation.topics) - len(evaluation.missing_topics):,}",
        "judged": f"{report.judged[name]:.0f}" if name in report.judged else "–",
        "made_by": _short(made_by) if name in report.made_by else "",
        "cells": cells,
    }


def _against(report: Report, measure: str) -> dict[str, Any]:
    digits = 0 if report.comparison.evaluations[0].is_count(measure) else 3
    runs = {evaluation.run_name: evaluation for evaluation in report.comparison.evaluations}
    rows = []
    for name, result in report.comparison.tests[measure].items():
        low, high = result.interval
        rows.append({
            "run": {"name": name, "baseline": False, "tuned": bool(runs[name].tuned_on)},
            "difference": signed(result.difference, digits),
            "stars": result.stars,
            "interval": f"{signed(low, digits)} to {signed(high, digits)}",
            "wins": result.wins, "ties": result.ties, "losses": result.losses,
            "p": p_value(result.p_value), "adjusted": p_value(result.adjusted),
        })
    value = number(runs[report.baseline].aggregated[measure])
    return {
        "measure": measure, "rows": rows, "corrected": report.comparison.corrected,
        "caption": f"{measure}, that of {report.baseline} being {value}: difference, and on how many topics the run is "
                   "better, equal or worse.",
    }


def _by_group(report: Report, part: Breakdown) -> dict[str, Any]:
    said = f"{report.measure} by {part.by}; in brackets the number of topics."
    rows = []
    for name in report.names:
        rows.append([name, *(number(part.value(group, name, report.measure)) for group in part.groups)])
        if part.baseline and name != part.baseline:
            differences = [part.difference(group, name, report.measure) for group in part.groups]
            rows.append([f"{name} less {part.baseline}", *(
                "–" if gap is None
                else f"{signed(gap.difference)} ({signed(gap.interval[0])} to {signed(gap.interval[1])}; "
                     f"{gap.wins} of {gap.topics} won, {gap.losses} lost)"
                for gap in differences
            )])
    if part.baseline:
        said += (
            f" Below, differences topic by topic with {per_cent(part.level)} confidence intervals, which are not "
            "corrected for the number of groups."
        )
    return {
        "caption": said, "head": ["Run", *(f"{group} ({len(part.topics[group])})" for group in part.groups)],
        "rows": rows,
    }


def _ablation(part: Ablation) -> dict[str, Any]:
    head, *rows = part.table()
    return {
        "caption": " ".join([f"{part.fused} without each of its members.", *part.notes()]),
        "head": ["Fused", *head[1:]], "rows": rows,
    }


def _extensions(report: Report) -> dict[str, Any]:
    head, *rows = extension_table(report.extensions, report.measure)
    shown = [[row[0].replace("  ", "\u00a0\u00a0"), *row[1:]] for row in rows]
    return {"caption": EXTENSION_NOTE, "head": [head[0].capitalize(), head[1].capitalize(), *head[2:]], "rows": shown}


def _times(report: Report) -> dict[str, Any]:
    return {
        "caption": "Seconds of a query, with the slowest topic.",
        "head": ["Run", "Queries", "Median", "95 %", "Worst", "Mean", "Slowest"],
        "rows": [
            [name, times.count, *(f"{time:.3f}" for time in (times.median, times.p95, times.worst, times.mean)),
             times.slowest_topic]
            for name, times in report.times.items()
        ],
    }


def _extremes(report: Report, questions: Mapping[str, Any]) -> dict[str, Any]:
    """The topics on which runs gain and lose most beside the baseline; of a run alone, its best and worst ones."""
    values = report.values(report.measure)
    topics, base = report.comparison.topics, values[report.baseline]
    rows = []
    for name in [name for name in report.names if name != report.baseline] or [report.baseline]:
        alone = name == report.baseline
        gaps = values[name] if alone else values[name] - base
        order = [i for i in np.argsort(-gaps, kind="stable").tolist() if gaps[i] == gaps[i] and (alone or gaps[i])]
        for i in dict.fromkeys([*order[:_EXTREMES], *order[-_EXTREMES:]]):
            cells = [] if alone else [number(float(base[i])), signed(float(gaps[i]))]
            value = number(float(values[name][i]))
            rows.append([questions.get(topics[i]) or topics[i], topics[i], name, value, *cells])
    is_alone = len(report.names) == 1
    said = "on which the run is best and worst" if is_alone else "on which a run gains and loses most"
    return {
        "caption": f"The topics {said}, by {report.measure}.",
        "head": ["Question", "Topic", "Run", report.measure, *([] if is_alone else [report.baseline, "Difference"])],
        "rows": rows,
    }


def _topics(report: Report, questions: Mapping[str, Any]) -> dict[str, Any]:
    values = {evaluation.run_name: evaluation.per_topic[report.measure] for evaluation in report.comparison.evaluations}
    rows = []
    for topic in report.comparison.topics:
        known = [by_topic[topic] for by_topic in values.values() if topic in by_topic]
        feature = report.features.get(topic)
        described = [str(feature.length), f"{100 * feature.math_share:.0f} %"] if feature else ["–", "–"]
        rows.append({
            "topic": topic,
            "question": questions.get(topic, ""),
            "known": described if report.features else [],
            "cells": [
                {
                    "value": number(by_topic.get(topic)),
                    "best": len(values) > 1 and topic in by_topic and max(known) > 0 and by_topic[topic] == max(known),
                }
                for by_topic in values.values()
            ],
        })
    return {
        "summary": f"{report.measure} of each run on each topic",
        "caption": " ".join([
            *(["The best values of a topic are bold."] if len(values) > 1 else []),
            *(["Tokens are words and symbols of the query."] if report.features else []),
        ]),
        "head": ["Topic", *(["Tokens", "Mathematics"] if report.features else []), *values],
        "rows": rows,
    }


def _evidence(record: Mapping[str, Any]) -> str:
    """One record of a tuning in a sentence: the plain parts of it, and how many trials there were."""
    said = [
        f"{key} {json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)}"
        for key, value in record.items() if key not in ("kind", "topics", "trials", "folds")
    ]
    for key in ("topics", "folds", "trials"):
        if isinstance(record.get(key), (list, tuple)):
            said.insert(0, f"{len(record[key]):,} {key}")
    return _short(f"{record.get('kind', 'tuning')}: {'; '.join(said)}", 2 * _SHOWN_PROVENANCE)


def _short(text: str, most: int = _SHOWN_PROVENANCE) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
