"""Positions in a figure: margins from the lengths of labels, and panels that share their scales.

Matplotlib's own layouts draw everything several times to measure it. Here widths of words are estimated, which also
makes pictures the same wherever they are drawn; browsers have other fonts than matplotlib measures anyway.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from porism.extras import need
from porism.lab.reports.theme import light

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 7.6
"""Inches; a unit of the pictures is a 72nd of one."""

MANY = 8
"""More runs than this get a panel or a row each where fewer share one."""

_WIDTHS = {letter: width for letters, width in (
    ("ijl|.,:;!'·", 0.32), ("frtI()[]{}/\\- \"`*", 0.42), ("mwMW%@&—…", 0.95), ("_", 0.5),
) for letter in letters}


def text_width(text: str, size: float = 8) -> float:
    """About how wide a text of ``size`` points is, in inches: that of a wide sans-serif face."""
    return sum(map(_letter_width, text)) * size / 72


@cache
def _letter_width(letter: str) -> float:
    if letter in _WIDTHS:
        return _WIDTHS[letter]
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    if unicodedata.combining(letter):
        return 0.0
    return 0.7 if letter.isupper() else 0.635


def widest(texts: Iterable[str], size: float = 8) -> float:
    """The width of the widest text and a gap beside it, in inches."""
    return max((text_width(text, size) for text in texts), default=0.0) + 0.12


@cache
def _margins() -> Any:
    """A layout engine of matplotlib that keeps margins and gaps in inches, also when the figure's size is changed."""
    engines = need("matplotlib.layout_engine", "lab", "drawing plots")

    class Margins(engines.LayoutEngine):  # type: ignore[misc, name-defined]  # matplotlib is loaded when it draws
        _adjust_compatible = True
        _colorbar_gridspec = True

        def __init__(
            self, left: float, right: float, bottom: float, top: float, columns: int, rows: int, across: float,
            down: float,
        ) -> None:
            super().__init__()
            self.edges = (left, right, bottom, top)
            self.grid = ((columns, across), (rows, down))

        def execute(self, fig: Any) -> None:
            width, height = fig.get_size_inches()
            left, right, bottom, top = self.edges
            inner = (max(0.2, width - left - right), max(0.2, height - bottom - top))
            shares = []
            for size, (count, gap) in zip(inner, self.grid, strict=True):
                panel = max(0.05, (size - (count - 1) * gap) / count)
                shares.append(gap / panel)
            fig.subplots_adjust(
                left=left / width, right=(left + inner[0]) / width, bottom=bottom / height,
                top=(bottom + inner[1]) / height, wspace=shares[0], hspace=shares[1],
            )

    return Margins


def new_figure(
    width: float = WIDTH, height: float = 3.2, *, left: float = 0.65, right: float = 0.15, bottom: float = 0.47,
    top: float = 0.12, columns: int = 1, rows: int = 1, across: float = 0.25, down: float = 0.3,
) -> Figure:
    """An empty figure with a canvas that needs no screen; to be called inside
    :func:`porism.lab.reports.canvas.drawing`.

    All lengths are inches: the margins of the axes, and the gaps between those of a grid.
    """
    figures = need("matplotlib.figure", "lab", "drawing plots")
    backend = need("matplotlib.backends.backend_svg", "lab", "drawing plots")
    figure: Figure = figures.Figure(figsize=(width, height))
    backend.FigureCanvasSVG(figure)
    engine = _margins()(left, right, bottom, top, columns, rows, across, down)
    figure.set_layout_engine(engine)
    engine.execute(figure)
    return figure


@dataclass(frozen=True, slots=True)
class AxisScale:
    """An axis that panels share: its ends, and where it is labelled with what."""

    low: float
    high: float
    ticks: Sequence[float]
    labels: Sequence[str]
    logarithmic: bool = False


def linear_scale(
    low: float, high: float, *, ticks: int = 5, label: Callable[[float], str] = lambda tick: f"{tick:g}"
) -> AxisScale:
    """A scale from ``low`` to ``high`` with about so many round numbers on it."""
    locators = need("matplotlib.ticker", "lab", "drawing plots")
    if not low < high:
        low, high = low - 0.5, high + 0.5
    room = 1e-9 * (high - low)
    places = [
        0.0 if abs(float(tick)) < room else float(tick)
        for tick in locators.MaxNLocator(ticks, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
        if low - room <= tick <= high + room
    ]
    return AxisScale(low, high, places, [label(tick).replace("-", "−") for tick in places])


def grid_of_panels(
    count: int, columns: int, height: float, x: AxisScale, y: AxisScale, *, across: str = "", up: str = "",
    title: float = 0.24,
) -> tuple[Figure, list[Axes]]:
    """A figure of ``count`` equal panels in rows of at most ``columns``, labelled at the outer ones only.

    :param height: of a panel, in inches, without the ``title`` inches above it.
    :param across: what the horizontal scale is, ``up``: what the vertical one.
    """
    columns = max(1, min(columns, count))
    rows = -(-count // columns)
    bottom = 0.08 + (0.16 if x.labels else 0) + (0.2 if across else 0)
    figure = new_figure(
        height=bottom + rows * (height + title) + 0.02,
        left=widest(y.labels) + (0.2 if up else 0), right=0.12, bottom=bottom, top=title + 0.02, columns=columns,
        rows=rows, across=0.16, down=title,
    )
    flat = list(figure.subplots(rows, columns, squeeze=False).flat)
    for spare in flat[count:]:
        spare.remove()
    for number, axes in enumerate(flat[:count]):
        _frame(axes, x, y, left=number % columns == 0, lowest=number + columns >= count)
    if across:
        figure.supxlabel(across, y=0.05 / figure.get_figheight(), fontsize=9, color=light("muted"))
    if up:
        figure.supylabel(up, x=0.03 / figure.get_figwidth(), fontsize=9, color=light("muted"))
    return figure, flat[:count]


def _frame(axes: Axes, x: AxisScale, y: AxisScale, *, left: bool, lowest: bool) -> None:
    """Limits, lines and labels of one panel, in few artists: ticks of their own are most of what a panel costs."""
    if x.logarithmic:
        axes.set_xscale("log")
    axes.set_xlim(x.low, x.high)
    axes.set_ylim(y.low, y.high)
    axes.xaxis.set_visible(False)
    axes.yaxis.set_visible(False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    none = np.zeros(len(y.ticks))
    axes.plot(
        *segments(none, y.ticks, none + 1, y.ticks), transform=axes.get_yaxis_transform(), color=light("grid"),
        linewidth=0.7, zorder=0.5, scalex=False, scaley=False,
    )
    moved = need("matplotlib.transforms", "lab", "drawing plots").ScaledTranslation
    inches = axes.figure.dpi_scale_trans
    if left:
        beside = axes.get_yaxis_transform() + moved(-0.06, 0, inches)
        for tick, label in zip(y.ticks, y.labels, strict=True):
            axes.text(0, tick, label, transform=beside, ha="right", va="center", fontsize=8, color=light("muted"))
    if lowest:
        below = axes.get_xaxis_transform() + moved(0, -0.05, inches)
        for tick, label in zip(x.ticks, x.labels, strict=True):
            axes.text(tick, 0, label, transform=below, ha="center", va="top", fontsize=8, color=light("muted"))


def segments(x0: ArrayLike, y0: ArrayLike, x1: ArrayLike, y1: ArrayLike) -> tuple[Any, Any]:
    """Separate lines [n] as one with gaps: x [3n] and y [3n], every third NaN; one artist draws them all."""
    starts, ends = np.asarray(x0, np.float64), np.asarray(x1, np.float64)
    gap = np.full(len(starts), np.nan)
    across = np.column_stack([starts, ends, gap]).ravel()
    return across, np.column_stack([np.asarray(y0, np.float64), np.asarray(y1, np.float64), gap]).ravel()
