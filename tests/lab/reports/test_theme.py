"""Colours can be told apart, by everybody, on light and on dark."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest
from case_tables import every_case
from colour_vision import SIGHT, contrast, seen

from porism.lab.reports.theme import COLOURS, css_overrides, css_variables


def test_contrast_is_known_for_black_and_white() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)


@every_case("scheme", [0, 1])
def test_text_and_marks_stand_out_from_the_surface(scheme: int) -> None:
    surface = COLOURS["surface"][scheme]
    for name in ("ink", "muted", "link", "alarm"):
        assert contrast(COLOURS[name][scheme], surface) >= 4.5, name
        assert contrast(COLOURS[name][scheme], COLOURS["band"][scheme]) >= 4.5, name
    for name in COLOURS:
        if name.startswith(("series", "baseline")):
            assert contrast(COLOURS[name][scheme], surface) >= 3, name


@every_case("scheme", [0, 1])
@every_case("sight", SIGHT)
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
