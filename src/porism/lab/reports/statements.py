"""What a report must say in words: what was measured and how, and what a reader is to be warned of."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from porism.errors import pluralise
from porism.lab.evaluate.comparison import TESTS
from porism.lab.evaluate.tables import some
from porism.lab.reports.report import Report
from porism.lab.reports.words import number, per_cent
from porism.version import __version__

SAMPLES = 10_000
"""Samples of a bootstrap interval."""


def warnings(report: Report) -> list[str]:
    """A sentence for each run that was tuned on topics of this report, and one on what that means; empty if none."""
    sentences = [f"{evaluation.run_name}: {evaluation.tuned_note}." for evaluation in report.tuned]
    if sentences:
        sentences.append(
            "A run that was tuned on the topics that it is scored on looks better here than it will be on others; "
            "tests that it takes part in say nothing of topics it was not tuned on."
        )
    return sentences


def headline(report: Report) -> str:
    """The outcome by the first measure, in sentences."""
    comparison, measure = report.comparison, report.measure
    best = [evaluation for evaluation in comparison.evaluations if evaluation.run_name in report.best(measure)]
    sentences = []
    if best:
        names = " and ".join(evaluation.run_name for evaluation in best)
        sentences.append(f"The highest {measure} is that of {names}: {number(best[0].aggregated[measure])}.")
    results = comparison.tests[measure]
    if results:
        better = sum(bool(result.stars) and result.difference > 0 for result in results.values())
        worse = sum(bool(result.stars) and result.difference < 0 for result in results.values())
        alike = len(results) - better - worse
        if len(results) > 1:
            sentences.append(
                f"Of {len(results)} runs tested against {report.baseline}, {better or 'none'} "
                f"{'is' if better <= 1 else 'are'} significantly better, {worse or 'none'} significantly worse, and "
                f"{alike or 'none'} cannot be told apart from it."
            )
        else:
            (other,) = results
            outcome = f"is significantly {'better' if better else 'worse'} than"
            if alike:
                outcome = "cannot be distinguished from"
            sentences.append(f"{other} {outcome} {report.baseline}.")
    return " ".join(sentences)


def method(report: Report) -> list[str]:
    """How it was measured, a sentence or two each: topics, depth, tests and their correction, intervals, seeds."""
    comparison = report.comparison
    topics = f"{pluralise(len(comparison.topics), 'topic')} of {report.judgments}"
    if report.missing == "zero":
        sentences = [f"{topics}, all that have judgments; a topic that a run does not answer counts as zero."]
    else:
        sentences = [
            f"{topics}, those that at least one of the runs answers; a run that does not answer one of them has zero "
            "there."
        ]
    sentences.append(
        "All results of each topic count." if report.depth is None else
        f"The first {report.depth:,} results of each topic count, cut before unjudged documents are removed."
    )
    if len(comparison.names) > 1:
        sentences.append(
            f"Each run is tested against {report.baseline}, topic by topic: {test_name(report)}, two-tailed; p-values "
            + (
                "are corrected by Holm–Bonferroni within each measure for "
                f"{pluralise(len(comparison.names) - 1, 'test')}. * means p < 0.05 and ** p < 0.01 after correction."
                if comparison.correction == "holm" else
                "are not corrected for the number of tests. * means p < 0.05 and ** p < 0.01."
            )
        )
    sentences.append(
        f"Confidence intervals ({per_cent(comparison.level)}) are percentiles of {SAMPLES:,} bootstrap samples of the "
        "topics; those of differences are of the paired differences. They are not corrected."
    )
    sentences.append(f"Random draws start from the seed {report.seed}.")
    return [*sentences, *notes(report)]


def notes(report: Report) -> list[str]:
    """What was particular: topics that runs lack, names made unique, judgments left out."""
    sentences = [
        f"{evaluation.run_name} has zero for {pluralise(count, 'topic')} that it does not answer: "
        f"{some(evaluation.missing_topics)}."
        for evaluation in report.comparison.evaluations if (count := len(evaluation.missing_topics))
    ]
    own = [note for note in report.comparison.notes if not note.startswith(("†", "tests that a run marked"))]
    answered = {f"{evaluation.run_name}: counted as zero" for evaluation in report.comparison.evaluations}
    own = [note for note in own if not any(note.startswith(said) for said in answered)]
    return [*sentences, *(f"{note[:1].upper()}{note[1:]}." for note in (*own, *report.notes))]


def test_name(report: Report) -> str:
    """The test as it is called in a sentence."""
    name = TESTS[report.comparison.test]
    return f"{name} (exact or 100,000 random assignments of signs)" if report.comparison.test == "permutation" else name


test_name.__test__ = False  # type: ignore[attr-defined]  # pytest takes the name for that of a test


def versions() -> dict[str, str]:
    """Package → version, of what the numbers depend on."""
    installed = {"Porism": __version__}
    for package, name in (("ir_measures", "ir_measures"), ("numpy", "NumPy"), ("scipy", "SciPy")):
        try:
            installed[name] = version(package)
        except PackageNotFoundError:
            continue
    return installed
