"""A report as LaTeX: tables for a paper, with booktabs."""

from __future__ import annotations

import os
import re
from pathlib import Path

from porism.lab.reports.ablations import Ablation
from porism.lab.reports.canvas import printable
from porism.lab.reports.files import check_target
from porism.lab.reports.report import Report
from porism.lab.reports.statements import method, versions, warnings
from porism.lab.reports.words import number, p_value, signed
from porism.system.files.text import write_whole

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "'": r"\textquotesingle{}", "`": r"\textasciigrave{}",
    "−": r"\ensuremath{-}", "–": "--", "—": "---", "…": r"\dots{}", "†": r"\textdagger{}", "‡": r"\textdaggerdbl{}",
    "�": "?", "-": "{-}", "ρ": r"\ensuremath{\rho}", "≥": r"\ensuremath{\geq}", "≤": r"\ensuremath{\leq}",
    "\u00a0": "~",
}

_BASELINE = r"\textsuperscript{\textdaggerdbl}"
_TUNED = r"\textsuperscript{\textdagger}"


def escape(text: str) -> str:
    """The text as LaTeX prints it, whatever it holds; letters beyond Latin need LuaLaTeX or XeLaTeX and a font."""
    return "".join(_SPECIAL.get(ch, ch) for ch in printable(text))


def latex_measure(name: str) -> str:
    """The name of a measure, its prime as mathematics."""
    return re.sub(r"\\textquotesingle\{\}", "$'$", escape(name))


def latex_tables(report: Report, *, label: str = "runs") -> str:
    """Two tables: runs by measures with stars, and the first measure beside the baseline; and one for each ablation.

    The best value of each measure is bold. The captions say topics, convention, tests, correction and seeds, and above
    all which runs were tuned on these topics.

    :param label: the tables get the labels ``tab:<label>``, ``tab:<label>-baseline`` and ``tab:<label>-ablation-1`` ….
    """
    label = re.sub(r"[^A-Za-z0-9:.-]+", "-", label).strip("-") or "runs"
    described = ", ".join(f"{name} {version}" for name, version in versions().items())
    lines = [
        f"% Made by {described}.",
        r"% Needs \usepackage{booktabs} and \usepackage[T1]{fontenc}.",
        *(f"% WARNING: {printable(sentence)}" for sentence in warnings(report)), "",
        *_runs_table(report, label),
    ]
    if len(report.names) > 1:
        lines += ["", *_baseline_table(report, label)]
    for place, ablation in enumerate(report.ablations, 1):
        lines += ["", *_ablation_table(ablation, f"tab:{label}-ablation-{place}")]
    return "\n".join(lines) + "\n"


def _caption(report: Report, opening: str, rest: str) -> str:
    bold = " ".join(escape(sentence) for sentence in warnings(report))
    warning = rf"\textbf{{{bold}}} " if bold else ""
    return f"{latex_measure(opening)} {warning}{rest}{_marks(report)}"


def _method(report: Report) -> str:
    text = " ".join(escape(sentence) for sentence in method(report))
    return text.replace("** p", r"\textsuperscript{**} p").replace("* means p", r"\textsuperscript{*} means p")


def _hanging(stars: str) -> str:
    """Stars that hang beyond the column, so that the figures stay in line."""
    return rf"\rlap{{\textsuperscript{{{stars}}}}}" if stars else ""


def _names(report: Report) -> list[str]:
    marked = []
    for evaluation in report.comparison.evaluations:
        name = _row_name(evaluation.run_name)
        if evaluation.run_name == report.baseline and len(report.names) > 1:
            name += _BASELINE
        marked.append(name + (_TUNED if evaluation.tuned_on else ""))
    return marked


def _marks(report: Report) -> str:
    marks = []
    if len(report.names) > 1:
        marks.append(f"{_BASELINE}~Baseline.")
    if report.tuned:
        marks.append(f"{_TUNED}~Tuned on topics that it is scored on here.")
    return f" {' '.join(marks)}" if marks else ""


def _runs_table(report: Report, label: str) -> list[str]:
    measures = report.comparison.measures
    rows = []
    for name, evaluation in zip(_names(report), report.comparison.evaluations, strict=True):
        cells = [name]
        for measure in measures:
            result = report.result(measure, evaluation.run_name)
            value = escape(number(evaluation.aggregated[measure]))
            if evaluation.run_name in report.best(measure):
                value = rf"\textbf{{{value}}}"
            cells.append(f"{value}{_hanging(result.stars) if result else ''}")
        rows.append(f"{' & '.join(cells)} \\\\")
    gap = r"@{\quad\ }"
    return _table(
        f"l{gap.join('r' * len(measures))}{gap}", ["Run", *(latex_measure(measure) for measure in measures)], rows,
        _caption(report, "Runs compared.", _method(report)), f"tab:{label}",
    )


def _baseline_table(report: Report, label: str) -> list[str]:
    measure = report.measure
    digits = 0 if report.comparison.evaluations[0].is_count(measure) else 3
    rows = []
    for name, evaluation in zip(_names(report), report.comparison.evaluations, strict=True):
        result = report.result(measure, evaluation.run_name)
        low_high = report.intervals[measure].get(evaluation.run_name)
        cells = [name, escape(number(evaluation.aggregated[measure])), _interval(low_high, digits, plain=True)]
        if result is None:
            cells += ["--"] * 6
        else:
            cells += [
                f"{escape(signed(result.difference, digits))}{_hanging(result.stars)}",
                _interval(result.interval, digits),
                str(result.wins), str(result.ties), str(result.losses), escape(p_value(result.adjusted)),
            ]
        rows.append(f"{' & '.join(cells)} \\\\")
    level = rf"{100 * report.comparison.level:.10g}\,\% interval"
    head = ["Run", latex_measure(measure), level, "Difference", level, "Wins", "Ties", "Losses", "$p$"]
    return _table(
        "lrcr@{\\quad\\ }crrrr", head, rows,
        _caption(
            report, f"{measure} beside that of {report.baseline}; p is {report.comparison.corrected}.",
            rf"Topics, tests and intervals are those of Table~\ref{{tab:{label}}}.",
        ),
        f"tab:{label}-baseline",
    )


def _ablation_table(ablation: Ablation, label: str) -> list[str]:
    head, *rows = ablation.table()
    body = [" & ".join([_row_name(cells[0]), *map(escape, cells[1:])]) + r" \\" for cells in rows]
    said = " ".join(escape(sentence) for sentence in ablation.notes())
    corrected = ablation.without.comparison.corrected
    caption = escape(f"{ablation.fused} without each of its members; p is {corrected}.")
    heads = ["Fused", latex_measure(head[1]), "Difference", "Wins/ties/losses", "$p$"]
    return _table("lrrrr", heads, body, f"{caption} {said}".strip(), label)


def _row_name(name: str) -> str:
    """A name as the first cell of a row: the end of the row before must not take it for its argument."""
    escaped = escape(name)
    return f"{{}}{escaped}" if escaped.startswith(("[", "*")) else escaped


def _interval(ends: tuple[float, float] | None, digits: int, *, plain: bool = False) -> str:
    if ends is None:
        return "--"
    low, high = (f"{end:.{digits}f}" if plain else escape(signed(end, digits)) for end in ends)
    return f"[{low}, {high}]"


def _table(columns: str, head: list[str], rows: list[str], caption: str, label: str) -> list[str]:
    return [
        r"\begin{table}", r"\centering", rf"\caption{{{caption}}}", rf"\label{{{label}}}",
        rf"\begin{{tabular}}{{{columns}}}", r"\toprule", f"{' & '.join(head)} \\\\", r"\midrule", *rows,
        r"\bottomrule", r"\end{tabular}", r"\end{table}",
    ]


def write_latex(report: Report, path: str | os.PathLike[str]) -> Path:
    """Writes :func:`latex_tables`; the labels are made of the file's name.

    :raises SourceError: the file cannot be written.
    """
    target = check_target(path)
    return write_whole(target, latex_tables(report, label=target.stem))
