"""What stands in the plots of topics is what was put in."""

from __future__ import annotations

import numpy as np
import pytest

from porism.lab.reports.theme import light
from porism.lab.reports.topic_plots import boxes_plot, differences_plot, feature_plot, group_means, intervals_plot

TOPICS = ["a", "b", "c", "d"]
VALUES = {
    "base": [0.5, 0.5, 0.5, 0.5],
    "one": [0.75, 0.25, 0.5, 1.0],
    "two": [0.5, 0.0, np.nan, 0.25],
}


def corners(shape) -> np.ndarray:
    """Left, right, bottom, top of each bar of a shape [bars, 4]."""
    path = shape.get_path().vertices.reshape(-1, 5, 2)
    return np.column_stack([path[:, :, 0].min(1), path[:, :, 0].max(1), path[:, :, 1].min(1), path[:, :, 1].max(1)])


def test_bars_are_the_sorted_differences() -> None:
    plot = differences_plot(TOPICS, VALUES, "base", "P")
    first, second = plot.figure.axes
    above, below = map(corners, first.patches)
    assert above[:, 2:].tolist() == [[0, 0.5], [0, 0.25]]
    assert below[:, 2:].tolist() == [[-0.25, 0]]
    assert above[:, :2].mean(1).tolist() == [0, 1]
    assert below[:, :2].mean(1).tolist() == [3]  # behind one that is equal
    (below,) = map(corners, second.patches)
    assert below[:, 2].tolist() == [-0.25, -0.5]  # no bar where there is no value
    assert below[:, :2].mean(1).tolist() == [1, 2]


def test_bars_above_and_below_have_their_colours() -> None:
    from matplotlib.colors import to_hex

    first = differences_plot(TOPICS, VALUES, "base", "P").figure.axes[0]
    assert [to_hex(bars.get_facecolor()) for bars in first.patches] == [light("series-1"), light("series-2")]


def test_counts_mean_and_extreme_topics_are_written() -> None:
    plot = differences_plot(TOPICS, VALUES, "base", "P", named=1)
    words = {text.get_text() for text in plot.figure.axes[0].texts}
    assert {"2 better, 1 equal, 1 worse\nmean +0.125\nworst: b", "best: d"} <= words
    assert "one: 2 topics better, 1 worse, mean difference +0.125." in plot.description
    assert "two: 0 topics better, 2 worse, mean difference −0.250." in plot.description


def test_of_many_runs_panels_are_compact_and_those_left_out_are_counted() -> None:
    many = {"base": [0.5, 0.5]} | {f"run{number}": [0.5, 0.5 + 0.04 * number] for number in range(12)}
    plot = differences_plot(["a", "b"], many, "base", "P", shown=[f"run{number}" for number in range(2, 12)])
    assert [axes.get_title(loc="left") for axes in plot.figure.axes] == [f"run{number}" for number in range(2, 12)]
    assert "1 · 1 · 0\n+0.040" in {text.get_text() for text in plot.figure.axes[0].texts}
    assert "These are the 10 runs that differ most; 2 others are in the tables." in plot.caption
    assert len({axes.get_ylim() for axes in plot.figure.axes}) == 1


def test_boxes_are_the_quartiles_and_whiskers_end_at_topics() -> None:
    values = [0.0, 0.1, 0.2, 0.3, 0.4, 1.0]  # quartiles 0.125, 0.25, 0.375: whiskers reach to 0.75
    axes = boxes_plot({"run": values, "none": [np.nan] * 6}, "P").figure.axes[0]
    strokes, whiskers, box, median, mean = axes.lines
    assert [min(box.get_xdata()), max(box.get_xdata())] == pytest.approx([0.125, 0.375])
    assert list(whiskers.get_xdata()) == pytest.approx([0.0, 0.125, np.nan, 0.375, 0.4, np.nan], nan_ok=True)
    assert list(median.get_xdata()) == pytest.approx([0.25, 0.25, np.nan], nan_ok=True)
    assert list(mean.get_xdata()) == pytest.approx([2 / 6])
    assert strokes.get_xdata()[::3].tolist() == strokes.get_xdata()[1::3].tolist() == values


def test_intervals_stand_where_they_are() -> None:
    plot = intervals_plot(
        {"base": 0.5, "one": 0.625}, {"base": (0.4, 0.6), "one": (0.5, 0.7)}, {"one": 0.125}, {"one": (0.05, 0.2)}, "P",
        baseline="base", stars={"one": "*"},
    )
    left, right = plot.figure.axes
    assert [list(line.get_xdata()) for line in left.lines[:4]] == [[0.4, 0.6], [0.5], [0.5, 0.7], [0.625]]
    assert [list(line.get_xdata()) for line in right.lines[:2]] == [[0.05, 0.2], [0.125]]
    assert [text.get_text() for text in right.texts] == ["baseline", "+0.125 *"]
    assert left.get_xlabel() == "mean P"
    assert left.get_ylim()[0] > left.get_ylim()[1]  # the first run is at the top


def test_features_are_plotted_with_steps_of_means() -> None:
    plot = feature_plot(
        [10, 20, 30, 40], {"one": [0.2, 0.4, 0.6, 1.0], "two": [0, 0, 0, 0]}, "P", name="length", label="l", title="t",
        groups=2,
    )
    axes = plot.figure.axes[0]
    marks, own = axes.lines[-2:]
    assert marks.get_xydata().tolist() == [[10, 0.2], [20, 0.4], [30, 0.6], [40, 1.0]]
    assert list(own.get_xdata()) == pytest.approx([10, 25, 25, 40, np.nan], nan_ok=True)
    assert list(own.get_ydata()) == pytest.approx([0.3, 0.3, 0.8, 0.8, np.nan], nan_ok=True)
    assert axes.get_title(loc="left") == "one"


def test_captions_are_true_of_one_run_and_of_one_group() -> None:
    alone = feature_plot([1, 2], {"one": [0.2, 0.4]}, "P", name="n", label="l", title="t", groups=2)
    assert "grey" not in alone.caption
    assert "2 groups" in alone.caption
    same = feature_plot([1, 1], {"one": [0.2, 0.4], "two": [0, 1]}, "P", name="n", label="l", title="t")
    assert "means of all topics; the grey ones those of the other run." in same.caption
    assert "each box" not in boxes_plot({"one": [0.2, 0.4]}, "P").caption
    assert "for each run" not in differences_plot(["a"], {"base": [1], "one": [0]}, "base", "P").caption


def test_group_means_by_hand() -> None:
    edges, means = group_means([5, 1, 3, 3, 9, np.nan], [10, 2, 4, 6, 8, 99], 2)
    # 1, 3, 3 | 5, 9: the two threes stay together
    assert edges == pytest.approx([1, 4, 9])
    assert means == pytest.approx([4, 9])
    edges, means = group_means([2, 2, 2], [1, 2, 6], 5)
    assert means == pytest.approx([3])
    assert len(group_means([np.nan], [1], 3)[1]) == 0
