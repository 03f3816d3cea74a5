"""What stands in the plots of topics is what was put in."""

from __future__ import annotations

import numpy as np
import pytest

from porism.reports.theme import light
from porism.reports.topic_plots import boxes_plot, differences_plot, feature_plot, group_means, intervals_plot

TOPICS = ["a", "b", "c", "d"]
VALUES = {
    "base": [0.5, 0.5, 0.5, 0.5],
    "one": [0.75, 0.25, 0.5, 1.0],
    "two": [0.5, 0.0, np.nan, 0.25],
}


def test_bars_are_the_sorted_differences() -> None:
    plot = differences_plot(TOPICS, VALUES, "base", "P")
    first, second = plot.figure.axes
    assert [bar.get_height() for bar in first.patches] == [0.5, 0.25, 0.0, -0.25]
    assert [bar.get_height() for bar in second.patches] == [0.0, -0.25, -0.5]  # no bar where there is no value


def test_bars_above_and_below_have_their_colours() -> None:
    from matplotlib.colors import to_hex

    first = differences_plot(TOPICS, VALUES, "base", "P").figure.axes[0]
    colours = [to_hex(bar.get_facecolor()) for bar in first.patches]
    assert colours[:2] == [light("series-1")] * 2
    assert colours[3] == light("series-2")


def test_counts_mean_and_extreme_topics_are_written() -> None:
    plot = differences_plot(TOPICS, VALUES, "base", "P", named=1)
    words = [text.get_text() for text in plot.figure.axes[0].texts]
    assert words == ["2 better, 1 equal, 1 worse\nmean +0.125\nworst: b", "best: d"]
    assert "one: 2 topics better, 1 worse, mean difference +0.125." in plot.description
    assert "two: 0 topics better, 2 worse, mean difference −0.250." in plot.description


def test_boxes_are_the_quartiles_and_whiskers_end_at_topics() -> None:
    values = [0.0, 0.1, 0.2, 0.3, 0.4, 1.0]  # quartiles 0.125, 0.25, 0.375: whiskers reach to 0.75
    axes = boxes_plot({"run": values, "none": [np.nan] * 6}, "P").figure.axes[0]
    (box,) = axes.patches
    assert (box.get_x(), box.get_width()) == (pytest.approx(0.125), pytest.approx(0.25))
    low, high, median, mean = axes.lines
    assert list(low.get_xdata()) == pytest.approx([0.0, 0.125])
    assert list(high.get_xdata()) == pytest.approx([0.375, 0.4])
    assert list(median.get_xdata()) == pytest.approx([0.25, 0.25])
    assert list(mean.get_xdata()) == pytest.approx([2 / 6])
    assert sorted(axes.collections[0].get_offsets()[:, 0]) == values


def test_intervals_stand_where_they_are() -> None:
    plot = intervals_plot(
        {"base": 0.5, "one": 0.625}, {"base": (0.4, 0.6), "one": (0.5, 0.7)}, {"one": 0.125}, {"one": (0.05, 0.2)}, "P",
        baseline="base", stars={"one": "*"},
    )
    left, right = plot.figure.axes
    assert [list(line.get_xdata()) for line in left.lines[:4]] == [[0.4, 0.6], [0.5], [0.5, 0.7], [0.625]]
    assert [list(line.get_xdata()) for line in right.lines[:2]] == [[0.05, 0.2], [0.125]]
    assert [text.get_text() for text in right.texts] == ["baseline", "+0.125 *"]
    assert left.get_ylim()[0] > left.get_ylim()[1]  # the first run is at the top


def test_features_are_plotted_with_steps_of_means() -> None:
    plot = feature_plot(
        [10, 20, 30, 40], {"one": [0.2, 0.4, 0.6, 1.0], "two": [0, 0, 0, 0]}, "P", name="length", label="l", title="t",
        groups=2,
    )
    axes = plot.figure.axes[0]
    assert axes.collections[0].get_offsets().tolist() == [[10, 0.2], [20, 0.4], [30, 0.6], [40, 1.0]]
    own = axes.patches[-1].get_data()
    assert own.values == pytest.approx([0.3, 0.8])
    assert own.edges == pytest.approx([10, 25, 40])
    assert axes.get_title(loc="left") == "one"


def test_group_means_by_hand() -> None:
    edges, means = group_means([5, 1, 3, 3, 9, np.nan], [10, 2, 4, 6, 8, 99], 2)
    # 1, 3, 3 | 5, 9: the two threes stay together
    assert edges == pytest.approx([1, 4, 9])
    assert means == pytest.approx([4, 9])
    edges, means = group_means([2, 2, 2], [1, 2, 6], 5)
    assert means == pytest.approx([3])
    assert len(group_means([np.nan], [1], 3)[1]) == 0
