"""The plot of :mod:`benchmarks.speed.formula_growth`: an SVG that reads on light and dark pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

GREY = "#808080"
"""Of text and axes: as far from white as from black. The background is transparent."""

BLUE, ORANGE = "#2a8fd6", "#d9772b"

PANELS: Sequence[tuple[str, Sequence[tuple[str, str, str]]]] = (
    ("milliseconds a query", (("median_ms", "median", BLUE), ("p95_ms", "95th percentile", ORANGE))),
    ("MB on disk", (("index_mb", "index", BLUE),)),
    ("seconds to index", (("index_seconds", "index", BLUE),)),
    ("MB of memory at most", (("search_memory_mb", "searching", BLUE), ("index_memory_mb", "indexing", ORANGE))),
)


def plot(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Draws the figures of each size over the number of formulas, all axes logarithmic."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    style = {
        "svg.fonttype": "none", "svg.hashsalt": "formula-growth", "font.family": "sans-serif", "font.size": 10,
        "text.color": GREY, "axes.labelcolor": GREY, "axes.edgecolor": GREY, "xtick.color": GREY, "ytick.color": GREY,
        "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 10, "axes.titlelocation": "left",
        "axes.facecolor": "none", "figure.facecolor": "none",
    }
    with pyplot.rc_context(style):
        figure, axes = pyplot.subplots(2, 2, figsize=(9, 6.4), layout="constrained")
        for axis, (title, lines) in zip(axes.flat, PANELS, strict=True):
            axis.set_xscale("log")
            axis.set_yscale("log")
            axis.set_title(title)
            axis.set_xlabel("distinct formulas")
            axis.grid(which="major", color=GREY, alpha=0.25, linewidth=0.6)
            largest = max((row[key] for key, _, _ in lines for row in rows if row.get(key)), default=1.0)
            least = min((row[key] for key, _, _ in lines for row in rows if row.get(key)), default=1.0)
            for number, (key, label, colour) in enumerate(lines):
                # The lower of two lines has its figures below.
                beside = (0, -12) if number + 1 < len(lines) else (0, 6)
                known = [(row["formulas"], row[key]) for row in rows if row.get(key)]
                axis.plot(*zip(*known, strict=True), "o-", color=colour, label=label, markersize=4, linewidth=1.6)
                for size, value in known:
                    shown = f"{value:.1f}" if value < 10 else f"{value:,.0f}"
                    axis.annotate(
                        shown, (size, value), beside, textcoords="offset points", ha="center", color=colour, fontsize=8
                    )
            axis.set_ylim(least / 2, largest * 2)
            if len(lines) > 1:
                axis.legend(frameon=False, loc="upper left")
            sizes = [row["formulas"] for row in rows]
            axis.set_xticks(sizes, [_short(size) for size in sizes])
            axis.set_xticks([], minor=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format="svg", transparent=True, metadata={"Date": None})
        pyplot.close(figure)


def _short(size: int) -> str:
    return f"{size / 1e6:g}M" if size >= 1_000_000 else f"{size / 1e3:g}k" if size >= 1000 else str(size)
