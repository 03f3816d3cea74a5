"""The plot of flips shows how many queries have such a rate."""

from __future__ import annotations

import pytest

from porism.lab.reports.flip_plots import BINS, flips_plot

pytest.importorskip("matplotlib")


def test_a_panel_for_each_number_of_candidates() -> None:
    plot = flips_plot({30: [0.01, 0.02, 0.12], 300: [0.8, 1.0]})
    first, second = plot.figure.axes
    assert [axes.get_title(loc="left") for axes in (first, second)] == ["30 candidates", "300 candidates"]
    heights = [bar.get_height() for bar in first.patches]
    assert (len(heights), heights[0], heights[2], sum(heights)) == (BINS, 2, 1, 3)
    assert [bar.get_height() for bar in second.patches][16:] == [1, 0, 0, 1]
    assert "30 candidates: median 2\u00a0%, most 12\u00a0% of 3 queries." in plot.description
