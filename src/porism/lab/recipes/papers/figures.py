"""Published figures beside measured ones, and whether what a paper found holds here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from porism.lab.evaluate import holm, permutation_test
from porism.lab.recipes.papers.paper import Claim, Paper, PaperRow, PaperTable

Numbers = Mapping[str, Mapping[str, Any]]
"""Report → its numbers as plain values (as the report of an experiment has them)."""


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """A row of a published table with what was measured: None where nothing was."""

    row: PaperRow
    measured: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class MeasuredTable:
    """A published table with what was measured. ``exact`` and ``compared`` count the figures that agree as printed."""

    table: PaperTable
    rows: tuple[MeasuredRow, ...]

    @property
    def compared(self) -> int:
        """Figures of which there is a published and a measured one."""
        return len(self._pairs())

    @property
    def exact(self) -> int:
        """Those of them that are the same with the digits that the paper prints."""
        return sum(
            round(measured, _digits(published, self.table)) == published for published, measured in self._pairs()
        )

    def _pairs(self) -> list[tuple[float, float]]:
        return [
            (published, measured) for row in self.rows
            for published, measured in zip(row.row.values, row.measured, strict=bool(row.row.values))
            if published is not None and measured is not None
        ]


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim with the means of both systems and the p-value of a permutation test over the topics that both answer,
    corrected by Holm–Bonferroni for the claims of the paper; None where one was not measured."""

    claim: Claim
    better: float | None
    worse: float | None
    p_value: float | None = None

    @property
    def significant(self) -> bool:
        """Whether the difference is more than chance, at 0.05."""
        return self.p_value is not None and self.p_value < 0.05

    @property
    def verdict(self) -> str:
        """``holds``, ``does not hold``, ``no difference`` or ``not measured``."""
        if self.better is None or self.worse is None:
            return "not measured"
        if abs(self.better - self.worse) < 1e-9:
            return "no difference"
        return "holds" if self.better > self.worse else "does not hold"


def measured_tables(paper: Paper, numbers: Numbers) -> list[MeasuredTable]:
    """All tables of a paper that name a report."""
    return [
        MeasuredTable(table, tuple(
            MeasuredRow(row, tuple(
                None if row.system is None else _value(numbers, row.report or table.report, row.system, column)
                for column in table.columns
            )) for row in table.rows
        )) for table in paper.tables
    ]


def checked_claims(paper: Paper, numbers: Numbers) -> list[CheckedClaim]:
    """All claims of a paper."""
    tested = {claim: p for claim in paper.claims if (p := _p_value(numbers, claim)) is not None}
    corrected = dict(zip(tested, holm(list(tested.values())), strict=True))
    return [
        CheckedClaim(
            claim, _value(numbers, claim.report, claim.better, claim.measure),
            _value(numbers, claim.report, claim.worse, claim.measure), corrected.get(claim),
        ) for claim in paper.claims
    ]


@dataclass(frozen=True, slots=True)
class MeasuredExtension:
    """An extension of a system in a report: what it adds here, and by the published figures; None where a figure is
    missing. ``row`` is that of the report (:meth:`porism.lab.reports.extensions.Increment.to_dict`)."""

    row: Mapping[str, Any]
    published: float | None = None


def measured_extensions(paper: Paper, numbers: Numbers) -> dict[str, list[MeasuredExtension]]:
    """Report → its tree of extensions, where it has one, beside the published differences of its first measure."""
    extensions: dict[str, list[MeasuredExtension]] = {}
    for report, values in numbers.items():
        published: dict[str, float] = {}
        for table in paper.tables:
            for row in table.rows:
                if (row.report or table.report) == report and row.system and row.values and row.values[0] is not None:
                    published.setdefault(row.system, row.values[0])
        for row in values.get("extensions", ()):
            known = row.get("of") in published and row["system"] in published
            gap = published[row["system"]] - published[row["of"]] if known else None
            extensions.setdefault(report, []).append(MeasuredExtension(row, gap))
    return extensions


def shown_figure(value: float | None, table: PaperTable) -> str:
    """A figure with the digits of its table; an en dash for none."""
    return "–" if value is None else f"{value:,.{_digits(value, table)}f}"


def _digits(value: float, table: PaperTable) -> int:
    """The digits of a figure in print: none of a count."""
    return 0 if float(value).is_integer() and value > 1 else table.digits


def _value(numbers: Numbers, report: str, system: str, measure: str) -> float | None:
    value = _run(numbers, report, system).get("aggregated", {}).get(measure)
    return None if value is None else float(value)


def _p_value(numbers: Numbers, claim: Claim) -> float | None:
    better, worse = (
        {topic: values.get(claim.measure) for topic, values in _run(numbers, claim.report, name).get(
            "per_topic", {}).items()} for name in (claim.better, claim.worse)
    )
    differences = [
        better[topic] - worse[topic] for topic in better
        if better[topic] is not None and worse.get(topic) is not None
    ]
    return permutation_test(differences, samples=10_000).p_value if differences else None


def _run(numbers: Numbers, report: str, system: str) -> Mapping[str, Any]:
    runs: Sequence[Mapping[str, Any]] = numbers.get(report, {}).get("runs", ())
    return next((run for run in runs if run["run"] == system), {})
