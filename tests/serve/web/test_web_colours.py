"""The colours of the parts of a question, as the style sheet has them: readable, and apart for everybody."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
from case_tables import every_case
from colour_vision import SIGHT, contrast, seen

import porism
from porism.serve.web.parts import COLOURS, LOOKS
from porism.serve.web.settings import Limits

CSS = (Path(porism.__file__).parent / "serve" / "web" / "static" / "porism.css").read_text(encoding="utf-8")


def palette(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})\b", block))


BLOCKS = [palette(block) for block in re.findall(r"\{\s*(?:color-scheme[^;]*;)?([^{}]*--c5:[^{}]*)\}", CSS)]
LIGHT, DARK = BLOCKS[0], BLOCKS[1]


def test_the_dark_theme_is_the_same_by_system_and_by_choice() -> None:
    assert len(BLOCKS) == 4
    assert BLOCKS[2] == DARK
    paper = {"paper", "raised", "hover", "ink"}
    same = LIGHT.keys() - paper
    assert {name: BLOCKS[3][name] for name in same} == {name: LIGHT[name] for name in same}
    assert [BLOCKS[3][name] for name in sorted(paper)] == ["#ffffff", "#000000", "#ffffff", "#ffffff"]
    assert LIGHT.keys() >= DARK.keys()
    assert Limits().formulas == LOOKS


@every_case("theme", [LIGHT, DARK])
def test_formulas_in_colour_can_be_read(theme: dict[str, str]) -> None:
    for number in range(1, COLOURS + 1):
        for surface in ("paper", "raised"):
            assert contrast(theme[f"c{number}"], theme[surface]) >= 4.5, (number, surface)
    assert contrast(theme["ink"], theme["c0-wash"]) >= 7


@every_case("theme", [LIGHT, DARK])
@every_case("sight", SIGHT)
def test_colours_stay_apart_and_from_the_ink_in_every_sight(theme: dict[str, str], sight: str) -> None:
    names = ["ink", *(f"c{number}" for number in range(1, COLOURS + 1))]
    for one, other in combinations(names, 2):
        apart = float(np.linalg.norm(seen(theme[one], sight) - seen(theme[other], sight)))
        assert apart > 0.1, (one, other)


def test_colours_of_formulas_can_be_read_on_a_dark_page() -> None:
    sheet = (Path(porism.__file__).parent / "serve" / "web" / "static" / "math.css").read_text(encoding="utf-8")
    (share,) = re.findall(
        r"mathcolor.*light-dark\(currentColor, color-mix\(in srgb, currentColor (\d+)%, white\)\)", sheet
    )
    darkest = round(255 * (100 - int(share)) / 100)
    for surface in ("paper", "raised"):
        assert contrast(f"#{3 * f'{darkest:02x}'}", DARK[surface]) >= 4.5
