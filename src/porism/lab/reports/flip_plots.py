"""Plots of how often a model of pairs contradicts itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from porism.lab.reports.canvas import Plot, drawing
from porism.lab.reports.layout import grid_of_panels, linear_scale
from porism.lab.reports.theme import light
from porism.lab.reports.words import per_cent

BINS = 20
"""Bars from a rate of 0 to one of 1."""


def flips_plot(rates: Mapping[int, Sequence[float]], *, name: str = "flips") -> Plot:
    """How the flip rates of queries are distributed, a panel for each number of candidates (figure 2 of Avila and
    Lourenço 2021).

    :param rates: number of candidates → the flip rate of each query (:attr:`porism.lab.pairwise.Flips.rate`).
    """
    edges = np.linspace(0.0, 1.0, BINS + 1)
    counts = {depth: np.histogram(np.asarray(by_query, np.float64), edges)[0] for depth, by_query in rates.items()}
    highest = max((int(count.max(initial=0)) for count in counts.values()), default=0)
    words: list[str] = []
    with drawing():
        figure, panels = grid_of_panels(
            len(rates), 2 if len(rates) > 1 else 1, 1.2, linear_scale(0.0, 1.0, ticks=5, label=per_cent),
            linear_scale(0, 1.08 * max(1, highest), ticks=4), across="pairs of a query that flip", up="queries",
        )
        for (depth, by_query), axes in zip(rates.items(), panels, strict=True):
            axes.bar(edges[:-1], counts[depth], width=1 / BINS, align="edge", color=light("series-1"),
                     edgecolor=light("surface"), linewidth=0.7)
            median = float(np.median(by_query)) if len(by_query) else 0.0
            middle, most = per_cent(round(median, 3)), per_cent(round(max(by_query, default=0.0), 3))
            axes.axvline(median, color=light("series-2"), linewidth=1.4)
            axes.set_title(f"{depth:,} candidates", pad=3, fontsize=8)
            axes.text(1, 1, f"median {middle}, most {most}", transform=axes.transAxes, ha="right",
                      va="top", fontsize=7.5, color=light("muted"))
            words.append(f"{depth:,} candidates: median {middle}, most {most} of {len(by_query):,} queries.")
    return Plot(
        name, "Flips by number of candidates",
        "Each bar is how many queries have such a share of pairs that flip: the model prefers one document in one "
        "order and the other in the other order. The upright line is the median.",
        " ".join(words), figure,
    )
