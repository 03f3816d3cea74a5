"""What stands in the plots of diversity and fusion is what was put in."""

from __future__ import annotations

import numpy as np
import pytest

from porism.lab.reports.diversity_plots import dendrogram_plot, rank_positions_plot, similarity_plot

SIMILARITY = np.array([[1.0, 0.5, -0.2], [0.5, 1.0, 0.1], [-0.2, 0.1, 1.0]])


def test_cells_are_as_full_as_runs_are_alike() -> None:
    from matplotlib.colors import to_hex

    plot = similarity_plot(["a", "b", "c"], SIMILARITY, "ρ", order=[2, 0, 1])
    axes = plot.figure.axes[0]
    ordered = SIMILARITY[np.ix_([2, 0, 1], [2, 0, 1])]
    fullness, colour = np.zeros((3, 3)), {}
    for shade in axes.patches:
        for square in shade.get_path().vertices.reshape(-1, 5, 2):
            column, row = square.min(0) + 0.48
            fullness[round(row), round(column)] = shade.get_alpha()
            colour[round(row), round(column)] = to_hex(shade.get_facecolor())
    assert fullness / fullness[0, 0] == pytest.approx(np.abs(ordered))
    assert colour[0, 1] != colour[0, 0] == colour[0, 2]  # below 0
    assert [text.get_text() for text in axes.texts] == ["−.20", ".10", "−.20", ".50", ".10", ".50"]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["c", "a", "b"]
    assert "a and b: 0.50." in plot.description


def test_a_dendrogram_joins_runs_at_their_distances() -> None:
    pytest.importorskip("scipy")
    linkage = [[0, 1, 0.5, 2], [2, 3, 1.05, 3]]
    plot = dendrogram_plot(["a", "b", "c"], linkage, [0, 0, 1], silhouettes={2: 0.3})
    axes = plot.figure.axes[0]
    upright = {}
    for line in axes.lines:
        x, y = line.get_xdata(), line.get_ydata()
        starts = [at for at in range(0, len(x) - 2, 3) if x[at] == x[at + 1] and y[at] != y[at + 1]]
        upright |= {x[at]: line.get_color() for at in starts}
    assert sorted(upright) == [0.5, 1.05]
    assert upright[0.5] != upright[1.05]  # one cluster has a colour, what joins two has none
    assert "a, b." in plot.description
    assert "2: 0.30" in plot.caption


def test_ranks_in_sources_and_absent_documents() -> None:
    plot = rank_positions_plot([[1, 4], [0, 2], [30, 0]], ["_one", "two"], "rrf", "t")
    axes = plot.figure.axes[0]
    one, one_absent, two, two_absent = axes.lines[:4]
    assert list(one.get_ydata()) == [1, 30]
    assert list(np.round(one.get_xdata())) == [1, 3]
    assert list(np.round(one_absent.get_xdata())) == [2]
    assert list(two.get_ydata()) == [4, 2]
    assert list(np.round(two_absent.get_xdata())) == [3]
    assert one_absent.get_markerfacecolor() == "none"
    assert min(one_absent.get_ydata()) > 30
    assert [text.get_text() for text in plot.figure.legends[0].get_texts()] == ["_one", "two"]
    assert "_one: 1, absent, 30." in plot.description


def test_a_fusion_of_nothing_known_can_be_drawn() -> None:
    axes = rank_positions_plot(np.zeros((2, 1), int), ["one"], "rrf", "t").figure.axes[0]
    assert len(axes.lines[1].get_xdata()) == 2


def test_similarities_of_very_many_runs_have_no_numbers() -> None:
    count = 40
    plot = similarity_plot([f"run{number}" for number in range(count)], np.eye(count), "ρ")
    assert not plot.figure.axes[0].texts
    assert "from 0.00 to 0.00" in plot.description
    assert "hollow" not in rank_positions_plot([[1], [2]], ["one"], "rrf", "t").caption
