"""What stands in the plots of curves, times and groups is what was put in."""

from __future__ import annotations

import numpy as np
import pytest
from case_tables import every_case

from porism.lab.reports.curve_plots import (
    depths_plot,
    groups_plot,
    milliseconds,
    precision_recall_plot,
    times_plot,
    tuning_plot,
)


def test_precision_stands_over_recall_and_names_in_order_of_the_mean() -> None:
    low, high = np.linspace(0.4, 0, 11), np.linspace(0.8, 0.2, 11)
    axes = precision_recall_plot({"_low": low, "high": high}).figure.axes[0]
    assert axes.lines[0].get_xdata() == pytest.approx(np.arange(11) / 10)
    assert axes.lines[0].get_ydata() == pytest.approx(low)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["high", "_low"]


def test_depths_are_on_a_logarithmic_scale_and_lines_are_named_at_their_ends() -> None:
    axes = depths_plot([10, 100, 1000], {"a": [0.1, 0.2, 0.3], "b": [0.1, 0.3, 0.3]}, "nDCG").figure.axes[0]
    assert axes.get_xscale() == "log"
    assert axes.lines[1].get_ydata().tolist() == [0.1, 0.3, 0.3]
    labels = [(text.get_text(), text.xyann[1]) for text in axes.texts]
    assert [name for name, _ in labels] == ["a", "b"]
    assert labels[0][1] > labels[1][1]  # of equal ends, the first is named higher


def test_many_lines_have_a_panel_each_over_all_others() -> None:
    curves = {f"run{number}": np.full(11, number / 10) for number in range(9)}
    plot = precision_recall_plot(curves, shown=[f"run{number}" for number in range(1, 9)])
    assert [axes.get_title(loc="left") for axes in plot.figure.axes] == [f"run{number}" for number in range(8, 0, -1)]
    behind, own = plot.figure.axes[0].lines[-2:]
    assert own.get_ydata() == pytest.approx(np.full(11, 0.8))
    drawn = behind.get_ydata().reshape(8, 12)
    assert drawn[:, :11] == pytest.approx(np.repeat(np.arange(8)[:, None] / 10, 11, axis=1))
    assert np.isnan(drawn[:, 11]).all()
    assert "1 other is only grey" in plot.caption
    assert "names stand in the order" not in plot.caption


def test_names_that_are_cut_alike_have_one_number_in_every_order() -> None:
    names = [f"a-name-that-is-{number}-alike-at-both-ends" for number in range(9)]
    rising, falling = ({name: np.full(11, value / 10) for name, value in zip(names, values, strict=True)}
                       for values in (range(9), range(9)[::-1]))
    titles = [[axes.get_title(loc="left") for axes in precision_recall_plot(curves).figure.axes]
              for curves in (rising, falling)]
    assert titles[0] == titles[1][::-1]
    assert len(set(titles[0])) == 9


def test_one_curve_is_not_compared() -> None:
    assert "better" not in precision_recall_plot({"one": np.zeros(11)}).caption


TRIALS = [({"k": k, "w": w}, 0.1 * w + 0.01 * k) for k in (1, 2, 3) for w in (0, 1)]


def test_tuning_shows_all_trials_and_the_best_of_each_value() -> None:
    plot = tuning_plot(TRIALS, "k", "MAP", chosen={"k": 3, "w": 1})
    axes = plot.figure.axes[0]
    trials, line, ring = axes.lines
    assert len(trials.get_xdata()) == 6
    assert list(line.get_xdata()) == [1, 2, 3]
    assert list(line.get_ydata()) == pytest.approx([0.11, 0.12, 0.13])
    assert list(ring.get_xdata()) == [3]
    assert axes.texts[0].get_text() == "k = 3: 0.130"
    assert axes.get_xscale() == "linear"


def test_tuning_over_a_wide_range_is_logarithmic_and_words_are_names() -> None:
    wide = tuning_plot([({"k": k}, 1.0 / k) for k in (1, 10, 100, 1000)], "k", "MAP")
    assert wide.figure.axes[0].get_xscale() == "log"
    words = tuning_plot([({"norm": "z-score"}, 0.2), ({"norm": True}, 0.3), ({"other": 1}, 0.9)], "norm", "MAP")
    axes = words.figure.axes[0]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["True", "z-score"]  # the best at the top
    assert list(axes.lines[0].get_xdata()) == [0.3, 0.2]


def test_of_many_words_the_best_and_the_chosen_one_are_shown() -> None:
    plot = tuning_plot([({"w": [k]}, k / 10) for k in range(20)], "w", "MAP", chosen={"w": [0]})
    labels = [tick.get_text() for tick in plot.figure.axes[0].get_yticklabels()]
    assert labels == [*(f"[{k}]" for k in range(19, 7, -1)), "[0]"]
    assert "Values that reached less (7) are not shown." in plot.caption


def test_times_have_median_95th_percentile_and_worst() -> None:
    seconds = [0.1 * step for step in range(1, 22)]  # 0.1 to 2.1: median 1.1, 95th percentile 2.0
    plot = times_plot({"run": seconds})
    axes = plot.figure.axes[0]
    strokes, body, tail, median, late = axes.lines
    assert strokes.get_xdata()[::3] == pytest.approx([100 * step for step in range(1, 22)])
    assert list(body.get_xdata()) == pytest.approx([1100, 2000])
    assert list(tail.get_xdata()) == pytest.approx([2000, 2100])
    assert list(median.get_xdata()) == pytest.approx([1100])
    assert list(late.get_xdata()) == pytest.approx([2000])
    assert axes.texts[0].get_text() == "1.1 s · 2 s · 2.1 s"
    assert axes.get_xscale() == "log"


def test_a_time_of_zero_can_be_drawn() -> None:
    assert times_plot({"run": [0.0, 0.5]}).figure.axes[0].lines[0].get_xdata()[0] > 0


@every_case(("value", "text"), [
    (0.254, "0.25 ms"), (17.6, "18 ms"), (1.23, "1.2 ms"), (180.0, "180 ms"), (1234, "1.2 s"), (12345, "12 s"),
    (90_000, "1.5 min"), (0, "0 ms"),
])
def test_times_in_words(value: float, text: str) -> None:
    assert milliseconds(value) == text


def test_groups_have_a_mark_a_run_and_their_numbers_of_topics() -> None:
    plot = groups_plot(
        {"Proof": 12, "none": 0, "Concept": 3}, {"_a": {"Proof": 0.5, "Concept": 0.25}, "b": {"Proof": 0.75}}, "MAP",
        name="by-category", title="t",
    )
    axes = plot.figure.axes[0]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["Proof (12)", "Concept (3)"]
    assert [list(line.get_xdata()) for line in axes.lines[:2]] == [[0.5, 0.25], [0.75]]
    assert [text.get_text() for text in plot.figure.legends[0].get_texts()] == ["_a", "b"]
    assert "Proof (12 topics): _a 0.500, b 0.750." in plot.description


def test_groups_of_many_runs_have_a_panel_each() -> None:
    values = {f"run{number}": {"A": number / 10, "B": 0.5} for number in range(9)}
    del values["run4"]["B"]
    plot = groups_plot({"A": 3, "B": 1}, values, "num_ret", name="by-x", title="t", baseline=0, summed=True)
    first, second = plot.figure.axes
    marks = [line.get_xydata()[0].tolist() for line in first.lines if line.get_linestyle() == "None"]
    assert marks == [[number / 10, number] for number in range(9)]
    assert len([line for line in second.lines if line.get_linestyle() == "None"]) == 8
    assert first.get_ylim()[0] > first.get_ylim()[1]
    assert "sum of one run" in plot.caption
    assert "B (1 topic): " in plot.description
