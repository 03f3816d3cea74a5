"""Colours can be told apart, by everybody, on light and on dark."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from porism.reports.theme import COLOURS, css_overrides, css_variables

# Machado, Oliveira and Fernandes 2009, severity 1.0, for linear RGB.
SIGHT = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}
TO_CONES = np.array([
    [0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
])
TO_LAB = np.array([
    [0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
])


def linear(colour: str) -> NDArray[np.float64]:
    encoded = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    light, dark = sorted((float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def seen(colour: str, sight: str) -> NDArray[np.float64]:
    """In OKLab."""
    cones = TO_CONES @ np.clip(SIGHT[sight] @ linear(colour), 0, 1)
    return np.asarray(TO_LAB @ np.cbrt(cones))


def test_contrast_is_known_for_black_and_white() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)


@pytest.mark.parametrize("scheme", [0, 1])
def test_text_and_marks_stand_out_from_the_surface(scheme: int) -> None:
    surface = COLOURS["surface"][scheme]
    for name in ("ink", "muted", "link", "alarm"):
        assert contrast(COLOURS[name][scheme], surface) >= 4.5, name
        assert contrast(COLOURS[name][scheme], COLOURS["band"][scheme]) >= 4.5, name
    for name in COLOURS:
        if name.startswith(("series", "baseline")):
            assert contrast(COLOURS[name][scheme], surface) >= 3, name


@pytest.mark.parametrize("scheme", [0, 1])
@pytest.mark.parametrize("sight", SIGHT)
def test_series_stay_apart(scheme: int, sight: str) -> None:
    names = [name for name in COLOURS if name.startswith("series")]
    assert len(names) == 8
    for one, other in combinations(names, 2):
        apart = np.linalg.norm(seen(COLOURS[one][scheme], sight) - seen(COLOURS[other][scheme], sight))
        assert apart > 0.09, (one, other)


def test_light_colours_are_distinct_so_that_each_names_its_variable() -> None:
    assert len({pair[0] for pair in COLOURS.values()}) == len(COLOURS)


def test_variables_have_both_schemes() -> None:
    css = css_variables()
    bright, dark = css.split("@media screen and (prefers-color-scheme:dark)")
    for name, (on_light, on_dark) in COLOURS.items():
        assert f"--{name}:{on_light};" in bright
        assert f"--{name}:{on_dark};" in dark


def test_overrides_map_every_light_colour_to_its_dark_one() -> None:
    rules = dict(re.findall(r'\[style\*="fill: (#\w+)"\]\{fill:(#\w+) !important\}', css_overrides()))
    assert rules == {pair[0]: pair[1] for pair in COLOURS.values()}
