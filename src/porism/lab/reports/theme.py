"""Colours of reports, light and dark: one table for plots and pages.

The series colours were searched for by hue. Any two of them, and the greys, stay apart in OKLab under normal sight,
protanopia, deuteranopia and tritanopia (Machado et al. 2009). Each has a contrast of at least 3 to the surface (WCAG 2,
1.4.11). Nothing depends on colour alone: markers, dashes and labels say the same.
"""

from __future__ import annotations

from collections.abc import Mapping

COLOURS: Mapping[str, tuple[str, str]] = {
    "surface": ("#ffffff", "#15171c"),
    "ink": ("#1c1e21", "#e8eaed"),
    "muted": ("#5c6370", "#a3abb8"),
    "context": ("#b4bac5", "#525a67"),
    "grid": ("#dfe2e7", "#2f343d"),
    "baseline": ("#3b4049", "#c9ced7"),
    "band": ("#f1f3f6", "#20242b"),
    "link": ("#0b4fb3", "#8ab4ff"),
    "alarm": ("#b3261e", "#ff8a80"),
    "series-1": ("#1438a9", "#7a99f8"),
    "series-2": ("#d97106", "#c68341"),
    "series-3": ("#459178", "#9cd8aa"),
    "series-4": ("#5d2658", "#95518c"),
    "series-5": ("#805b01", "#e7b207"),
    "series-6": ("#5e64c9", "#6e5edf"),
    "series-7": ("#0699c9", "#75d2fd"),
    "series-8": ("#74220e", "#b73a2e"),
}
"""CSS variable → its colour on light and on dark. Plots are drawn in the light colours, no two of which are equal."""

SERIES = tuple(light for name, (light, _) in COLOURS.items() if name.startswith("series-"))
MARKERS = ("s", "^", "D", "v", "P", "X", "p", "h")
"""Of runs other than the baseline, which has a circle."""
DASHES: tuple[str | tuple[int, tuple[float, ...]], ...] = (
    "-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)), (0, (9, 2)), (0, (3, 1.5, 1, 1.5, 1, 1.5)),
    (0, (1, 2.5)), (0, (12, 1.5, 3, 1.5)),
)
"""Line styles; series of the same colour differ in them (:func:`porism.lab.reports.canvas.styles`)."""


def light(name: str) -> str:
    """The colour that a plot is drawn in."""
    return COLOURS[name][0]


def css_variables() -> str:
    """The variables as CSS: light, dark where the reader's system asks for it, light again on paper."""
    bright = "".join(f"--{name}:{pair[0]};" for name, pair in COLOURS.items())
    dark = "".join(f"--{name}:{pair[1]};" for name, pair in COLOURS.items())
    return (
        f":root{{color-scheme:light dark;{bright}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    )


def css_overrides() -> str:
    """CSS for a picture file that stands alone: its colours stay readable to programs that know no CSS variables.

    The picture has the light colours; on a dark screen each is overridden where an attribute holds it.
    """
    rules = "".join(
        f'[style*="{attribute}: {pair[0]}"]{{{attribute}:{pair[1]} !important}}'
        for pair in COLOURS.values()
        for attribute in ("fill", "stroke")
    )
    return f"@media screen and (prefers-color-scheme:dark){{{rules}}}"
