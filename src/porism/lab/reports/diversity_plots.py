"""Plots of how alike runs are: similarity, clusters, and what a fused run takes from its sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from porism.extras import need
from porism.lab.reports.canvas import (
    LineStyle,
    Plot,
    bare_rows,
    drawing,
    legend_above,
    legend_height,
    short_names,
    styles,
)
from porism.lab.reports.layout import MANY, WIDTH, new_figure, segments, widest
from porism.lab.reports.theme import SERIES, light

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_DEPTH = 0.55
"""Opacity of a cell with similarity 1: its number stays readable in the colour of the text."""

MAX_NUMBERED = 32
"""Runs beyond which the numbers of a similarity have no room in its cells."""


def similarity_plot(
    names: Sequence[str], similarity: ArrayLike, coefficient: str, *, name: str = "similarity", note: str = "",
    order: Sequence[int] | None = None,
) -> Plot:
    """A heat map of the similarity of each two runs, with its numbers; negative ones are hatched by colour and sign.

    :param similarity: [R, R], symmetric, from −1 to 1.
    :param order: the order of the runs, so that a clustering's neighbours stand side by side.
    """
    matrix = np.asarray(similarity, np.float64)
    shown = list(order) if order is not None else list(range(len(names)))
    labels = short_names(names, 22)
    words: list[str] = []
    numbered = len(names) <= MAX_NUMBERED
    with drawing():
        edge = widest(labels) + 0.05
        slope = 0.65 * edge + 0.1  # of labels at 40 degrees
        side = min(0.42 * len(names) + 0.3, WIDTH - edge - 0.3)
        figure = new_figure(width=edge + side + 0.3, height=side + slope + 0.1, left=edge, right=0.3, bottom=slope,
                            top=0.1)
        axes = figure.subplots()
        size = 8 if len(names) <= 12 else 6
        for row, first in enumerate(shown):
            for column, second in enumerate(shown):
                value = float(matrix[first, second])
                if first != second and numbered:
                    axes.text(column, row, _short_number(value), ha="center", va="center", fontsize=size)
                if first < second and numbered:
                    words.append(f"{names[first]} and {names[second]}: {value:.2f}.")
        _cells(axes, matrix[np.ix_(shown, shown)])
        axes.set_xlim(-0.5, len(shown) - 0.5)
        axes.set_ylim(len(shown) - 0.5, -0.5)
        axes.set_aspect("equal")
        axes.set_xticks(range(len(shown)), [labels[place] for place in shown], rotation=40, ha="right",
                        rotation_mode="anchor")
        axes.set_yticks(range(len(shown)), [labels[place] for place in shown])
        axes.tick_params(length=0, labelcolor=light("ink"))
        axes.grid(False)
        for spine in axes.spines.values():
            spine.set_visible(False)
    return Plot(
        name, f"Similarity of the runs by {coefficient}",
        "The fuller the colour of a cell, the more alike two runs rank; 1 is the same ranking"
        f"{', and orange, less than 0, tends to the reverse' if matrix.size and matrix.min() < 0 else ''}."
        f"{' ' + note if note else ''}",
        " ".join(words) if numbered else f"{len(names)} runs; {_extent(matrix)}.",
        figure,
    )


def _cells(axes: Axes, matrix: NDArray[np.float64]) -> None:
    """A square a value, in as few artists as there are shades of a hundredth."""
    paths = need("matplotlib.path", "lab", "drawing plots")
    patches = need("matplotlib.patches", "lab", "drawing plots")
    shades = np.round(matrix, 2)
    corners = np.array([[-0.48, -0.48], [0.48, -0.48], [0.48, 0.48], [-0.48, 0.48], [-0.48, -0.48]])
    codes = [paths.Path.MOVETO, *[paths.Path.LINETO] * 3, paths.Path.CLOSEPOLY]
    for shade in np.unique(shades[shades != 0]):
        centres = np.argwhere(shades == shade)[:, ::-1]
        squares = (centres[:, None, :] + corners).reshape(-1, 2)
        axes.add_artist(patches.PathPatch(
            paths.Path(squares, np.tile(codes, len(centres))), linewidth=0,
            facecolor=light("series-1" if shade > 0 else "series-2"), alpha=min(1.0, abs(float(shade))) * _MAX_DEPTH,
        ))


def _extent(matrix: NDArray[np.float64]) -> str:
    others = matrix[~np.eye(len(matrix), dtype=bool)]
    return f"values of two from {others.min():.2f} to {others.max():.2f}, with a mean of {others.mean():.2f}"


def _short_number(value: float) -> str:
    text = f"{abs(value):.2f}"
    sign = "−" if value < 0 and float(text) else ""
    return sign + (text[1:] if text.startswith("0") else text)


def dendrogram_plot(
    names: Sequence[str], linkage: ArrayLike, labels: Sequence[int], *, silhouettes: Mapping[int, float] | None = None,
    coefficient: str = "",
) -> Plot:
    """The hierarchical clustering of the runs, those of one cluster in one colour.

    :param linkage: [R − 1, 4] as scipy has it: two clusters, their distance, their size.
    :param labels: the cluster of each run [R].
    :param silhouettes: number of clusters → mean silhouette.
    """
    hierarchy = need("scipy.cluster.hierarchy", "lab", "clustering")
    merges = np.asarray(linkage, np.float64)
    count = len(names)
    drawn = hierarchy.dendrogram(merges, no_plot=True)
    place = {leaf: float(row) for row, leaf in enumerate(drawn["leaves"])}
    in_order = dict.fromkeys(int(labels[leaf]) for leaf in drawn["leaves"])
    numbers = {label: number for number, label in enumerate(in_order)}
    cluster: list[int | None] = [int(label) for label in labels]
    height = [0.0] * count
    with drawing():
        leaves = drawn["leaves"]
        short = short_names(names)
        rows = [f"{short[leaf]}  ·{numbers[int(labels[leaf])] + 1}" for leaf in leaves]
        figure = new_figure(height=0.6 + (0.22 if count > MANY else 0.3) * count, left=widest(rows) + 0.05)
        axes = figure.subplots()
        branches: dict[str, list[tuple[float, float, float, float]]] = {}
        for number, (first, second, distance, _) in enumerate(merges, count):
            a, b = int(first), int(second)
            same = cluster[a] if cluster[a] == cluster[b] else None
            cluster.append(same)
            height.append(float(distance))
            place[number] = (place[a] + place[b]) / 2
            colour = light("muted") if same is None else SERIES[numbers[same] % len(SERIES)]
            for child in (a, b):
                own = cluster[child]
                branch = light("muted") if own is None else SERIES[numbers[own] % len(SERIES)]
                branches.setdefault(branch, []).append((height[child], place[child], float(distance), place[child]))
            branches.setdefault(colour, []).append((float(distance), place[a], float(distance), place[b]))
        for branch, lines in branches.items():
            axes.plot(*segments(*np.array(lines).T), color=branch, solid_capstyle="round")
        for row, leaf in enumerate(leaves):
            axes.plot([0], [row], marker="o", markersize=5, color=SERIES[numbers[int(labels[leaf])] % len(SERIES)],
                      clip_on=False)
        bare_rows(axes, rows)
        axes.set_xlim(left=0)
        axes.tick_params(axis="y", pad=7)
        axes.set_xlabel(f"distance at which runs join{' (1 − ' + coefficient + ')' if coefficient else ''}")
    chosen = len(numbers)
    tried = ", ".join(f"{k}: {value:.2f}" for k, value in sorted((silhouettes or {}).items()))
    members = [
        f"Cluster {number + 1}: {', '.join(names[leaf] for leaf in leaves if int(labels[leaf]) == label)}."
        for label, number in numbers.items()
    ]
    return Plot(
        "clustering", f"Clusters of the runs: {chosen}",
        "Runs that rank alike join early, at the left; those of one cluster share a colour and a number behind the "
        "name." + (f" The number of clusters has the highest silhouette ({tried})." if tried else ""),
        " ".join(members),
        figure,
    )


def rank_positions_plot(
    positions: ArrayLike, sources: Sequence[str], fused: str, topic: str, *, note: str = "",
    run_styles: Mapping[str, LineStyle] | None = None,
) -> Plot:
    """The ranks that the first documents of a fused run had in its sources, for one topic.

    After figure 3 of Zhong et al. 2022.

    :param positions: [k, S], the rank in each source from 1; 0 where the source does not have the document.
    :param run_styles: run → its style, where other plots have more runs.
    """
    ranks = np.asarray(positions, np.int64)
    chosen = [run_styles[source] for source in sources] if run_styles else styles(len(sources))
    depth = len(ranks)
    lowest = max(depth, int(ranks.max(initial=1)))
    absent = lowest * 1.9
    step = min(0.13, 0.7 / max(1, len(sources)))
    words: list[str] = []
    with drawing():
        top = legend_height(len(sources))
        figure = new_figure(height=3.1 + top, top=top)
        axes = figure.subplots()
        for column, (source, look) in enumerate(zip(sources, chosen, strict=True)):
            shift = (column - (len(sources) - 1) / 2) * step
            there = np.flatnonzero(ranks[:, column])
            lost = np.flatnonzero(ranks[:, column] == 0)
            axes.plot(there + 1 + shift, ranks[there, column], linestyle="none", marker=look.marker, color=look.colour,
                      markersize=6)
            axes.plot(lost + 1 + shift, np.full(len(lost), absent), linestyle="none", marker=look.marker, markersize=5,
                      markerfacecolor="none", markeredgecolor=look.colour)
            words.append(f"{source}: {', '.join(str(rank) if rank else 'absent' for rank in ranks[:, column])}.")
        axes.plot([1, depth], [1, depth], color=light("muted"), linewidth=0.8, linestyle=(0, (3, 2)))
        axes.set_yscale("log")
        ticks = [tick for tick in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if tick <= lowest]
        axes.set_yticks([*ticks, absent], [*map(str, ticks), "absent"])
        axes.minorticks_off()
        axes.set_ylim(absent * 1.35, 0.8)
        axes.set_xticks(range(1, depth + 1))
        axes.set_xlabel(f"rank in {short_names([fused])[0]}")
        axes.set_ylabel("rank in a source, logarithmic")
        for edge in range(1, depth):
            axes.axvline(edge + 0.5, color=light("grid"), linewidth=0.6)
        legend_above(figure, sources, chosen)
    return Plot(
        "rank-positions", f"Where {fused} takes its first documents from, topic {topic}",
        f"Across: the first {depth} documents of {fused}. Each mark is the rank of that document in one source, the "
        f"best at the top{'; a hollow mark at the bottom: the source lacks it' if (ranks == 0).any() else ''}. On the "
        "dashed line both ranks are the same."
        f"{' ' + note if note else ''}",
        f"Ranks of the first {depth} documents in each source. {' '.join(words)}",
        figure,
    )
