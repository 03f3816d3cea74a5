"""What all plots have in common: their words, the styles of the runs, the settings they are drawn under, legends."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from porism.extras import need
from porism.lab.reports.theme import DASHES, MARKERS, SERIES, light

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawn figure with its words.

    :param name: its file name without suffix; letters, digits and hyphens, unique in a report.
    :param title: what it shows, in a few words.
    :param caption: what is seen and how it is read, in sentences.
    :param description: what someone who cannot see it needs to know, with the main figures.
    :param figure: the matplotlib figure, for those who want to change or test it.
    """

    name: str
    title: str
    caption: str
    description: str
    figure: Figure


class LineStyle(NamedTuple):
    """How one run is drawn in every plot of a report."""

    colour: str
    marker: str
    dash: Any


def styles(count: int, baseline: int | None = None) -> list[LineStyle]:
    """A style for each run: the baseline in grey, the others by their place among the others.

    Eight colours go round; marker and dashes shift with each round, so that no two of 64 runs look alike.
    """
    line_styles: list[LineStyle] = []
    others = 0
    for position in range(count):
        if position == baseline:
            line_styles.append(LineStyle(light("baseline"), "o", "-"))
            continue
        turn, number = divmod(others, len(SERIES))
        line_styles.append(LineStyle(
            SERIES[number], MARKERS[(number + turn) % len(MARKERS)], DASHES[(number + turn) % len(DASHES)]
        ))
        others += 1
    return line_styles


@contextmanager
def drawing() -> Iterator[None]:
    """The settings that figures are made and written under; those of the user stay out of it and are left alone."""
    matplotlib = need("matplotlib", "lab", "drawing plots")
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*Glyph .* missing from")  # browsers have more fonts than we measure
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({
            "svg.fonttype": "none",
            "text.parse_math": False,  # a run may be called $x_1$
            "path.simplify": False,
            "font.size": 9,
            "axes.titlesize": 9,
            "axes.titlelocation": "left",
            "axes.titleweight": "bold",
            "axes.labelsize": 9,
            "axes.labelcolor": light("muted"),
            "axes.edgecolor": light("muted"),
            "axes.facecolor": "none",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.axisbelow": True,
            "axes.grid": True,
            "axes.grid.axis": "y",
            "axes.linewidth": 0.7,
            "axes.unicode_minus": True,
            "grid.color": light("grid"),
            "grid.linewidth": 0.7,
            "xtick.color": light("muted"),
            "ytick.color": light("muted"),
            "xtick.labelsize": 8,
            "ytick.labelsize": 8,
            "text.color": light("ink"),
            "figure.facecolor": light("surface"),
            "legend.frameon": False,
            "legend.fontsize": 8,
            "lines.linewidth": 1.6,
        })
        yield


def printable(text: str) -> str:
    """The text with what no XML may hold (control characters, lone surrogates) as U+FFFD, on one line."""
    return "".join(" " if ch in "\t\n\r" else ch if ch.isprintable() or ch == "\u00a0" else "�" for ch in text)


def short_names(names: Sequence[str], most: int = 26) -> list[str]:
    """Names that fit beside an axis: long ones lose their middle; those that then are alike get a number."""
    shortened: list[str] = []
    for name in map(printable, names):
        half = (most - 1) // 2
        short = name if len(name) <= most else f"{name[:most - 1 - half]}…{name[-half:]}"
        number = 2
        candidate = short
        while candidate in shortened:
            candidate = f"{short} ({number})"
            number += 1
        shortened.append(candidate)
    return shortened


def spread(positions: ArrayLike, gap: float) -> NDArray[np.float64]:
    """Positions [n] moved as little as needed, in the least squares, so that any two are at least ``gap`` apart.

    Their order stays, and of equal ones the first is the highest. It is isotonic regression of the positions less their
    number times the gap, by pooling neighbours that violate it (Ayer et al. 1955).
    """
    wanted = np.asarray(positions, np.float64)
    order = np.lexsort((-np.arange(len(wanted)), wanted))  # of equal ones, the first goes to the top
    blocks: list[tuple[float, int]] = []
    for number, position in enumerate(wanted[order]):
        blocks.append((float(position) - number * gap, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (second, more), (first, some) = blocks.pop(), blocks.pop()
            blocks.append(((first * some + second * more) / (some + more), some + more))
    pooled = np.concatenate([np.full(count, mean) for mean, count in blocks] or [np.empty(0)])
    moved = np.empty(len(wanted))
    moved[order] = pooled + np.arange(len(wanted)) * gap
    return moved


def label_lines(
    axes: Axes, x: float, heights: Sequence[float], labels: Sequence[str], run_styles: Sequence[LineStyle], *,
    points: float = 11,
) -> None:
    """Names the lines that end at ``x``, to their right, moved apart where they would overlap.

    :param points: the height of a line of text, in 72nds of an inch; the y axis must have its final limits.
    """
    low, high = axes.get_ylim()
    box = axes.get_window_extent()
    tall = box.height / axes.figure.dpi * 72
    if tall <= 0 or not len(heights):
        return
    places = spread([(height - low) / (high - low) for height in heights], points / tall)
    places -= max(0.0, float(places.max()) - 1.0)
    for height, place, label, look in zip(heights, places, labels, run_styles, strict=True):
        axes.annotate(
            label, (x, height), xytext=(1.06, place), textcoords="axes fraction", va="center", ha="left", fontsize=8,
            arrowprops={"arrowstyle": "-", "color": look.colour, "linewidth": 0.9, "shrinkA": 1, "shrinkB": 1,
                        "relpos": (0, 0.5)},
            annotation_clip=False,
        )


def legend(
    on: Axes | Figure, names: Sequence[str], run_styles: Sequence[LineStyle], *, lines: bool = False, **place: Any
) -> None:
    """A legend of runs: their marks, and their lines where these are drawn too."""
    artists = need("matplotlib.lines", "lab", "drawing plots")
    handles = [
        artists.Line2D([], [], color=look.colour, marker=look.marker, markersize=5.5 if not lines else 4,
                       linestyle=look.dash if lines else "none")
        for look in run_styles
    ]
    made = on.legend(handles, [str(number) for number in range(len(names))], handletextpad=0.5 if lines else 0.2,
                     columnspacing=1.2, handlelength=3.2 if lines else 1.2, borderaxespad=0.2, **place)
    for text, name in zip(made.get_texts(), short_names(names), strict=True):
        text.set_text(name)  # here and not above: a legend leaves out names that start with an underscore


def legend_above(figure: Figure, names: Sequence[str], run_styles: Sequence[LineStyle]) -> None:
    """A legend in three columns in the room at the top that :func:`legend_height` asks for."""
    legend(figure, names, run_styles, loc="upper left", bbox_to_anchor=(0, 1), ncols=3)


def legend_height(count: int) -> float:
    """The inches of a legend of so many runs above the axes."""
    return 0.12 + 0.175 * -(-count // 3)


def bare_rows(axes: Axes, labels: Sequence[str]) -> None:
    """A row a label from the top, lines upwards only."""
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.grid(True, axis="x")
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0, labelcolor=light("ink"))
