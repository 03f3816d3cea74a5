"""SVG that can be inlined: text as text, variables for colours, ids of its own, always the same bytes."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from porism.reports.canvas import Plot, drawing, new_figure, printable, short_names, spread, styles, svg
from porism.reports.theme import COLOURS, light

SVG = "{http://www.w3.org/2000/svg}"


def drawn(name: str = "one", label: str = "x_1 & $y$ <b>") -> Plot:
    with drawing():
        figure = new_figure()
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], marker="o", color=light("series-1"))
        axes.set_title(label)
    return Plot(name, "A title <i>", "A caption.", "A description & more.", figure)


def test_text_stays_text_and_is_no_formula() -> None:
    root = etree.fromstring(svg(drawn()))
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert "x_1 & $y$ <b>" in texts


def test_title_and_description_are_what_it_is_labelled_by() -> None:
    root = etree.fromstring(svg(drawn()))
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == "one-title one-desc"
    found = {element.get("id"): element.text for element in root[:2]}
    assert found == {"one-title": "A title <i>", "one-desc": "A description & more."}


def test_colours_are_variables_of_the_page() -> None:
    text = svg(drawn())
    assert "var(--series-1)" in text
    assert not re.findall(r"#[0-9a-fA-F]{6}\b", text)
    assert set(re.findall(r"var\(--([\w-]+)\)", text)) <= set(COLOURS)


def test_a_file_of_its_own_has_colours_that_a_dark_screen_overrides() -> None:
    text = svg(drawn(), standalone=True)
    root = etree.fromstring(text.encode())
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>')
    assert "var(" not in text
    sheet = root.find(f"{SVG}style").text
    drawn_in = set(re.findall(r"(?:fill|stroke): (#\w{6})", text.replace(sheet, "")))
    assert light("series-1") in drawn_in
    assert drawn_in <= {pair[0] for pair in COLOURS.values()}
    assert "prefers-color-scheme:dark" in sheet


def test_ids_are_unique_across_pictures_and_references_resolve() -> None:
    pictures = [etree.fromstring(svg(drawn(name))) for name in ("one", "two")]
    ids = [element.get("id") for root in pictures for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for root in pictures:
        own = {element.get("id") for element in root.iter()}
        text = etree.tostring(root, encoding="unicode")
        referred = re.findall(r'href="#([^"]+)"', text) + re.findall(r"url\(#([^)]+)\)", text)
        assert referred
        assert set(referred) <= own


def test_the_same_figure_gives_the_same_bytes() -> None:
    plot = drawn()
    assert svg(plot) == svg(plot) == svg(drawn())


def test_nothing_is_fetched_and_nothing_runs() -> None:
    text = svg(drawn(), standalone=True)
    assert not re.findall(r"(?:href|src)=\"(?!#)", text)
    assert "<script" not in text
    assert "<!DOCTYPE" not in text
    assert "@import" not in text


def test_settings_of_the_user_are_left_alone_and_have_no_effect() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    plain = svg(drawn())
    with matplotlib.rc_context({"font.size": 31, "axes.grid": False, "text.color": "red"}):
        assert svg(drawn()) == plain
        assert matplotlib.rcParams["font.size"] == 31


@given(st.lists(st.text(max_size=60), max_size=12), st.integers(8, 30))
def test_short_names_are_unique_and_fit(names: list[str], most: int) -> None:
    found = short_names(names, most)
    assert len(set(found)) == len(names)
    assert all(len(name) <= most + len(f" ({len(names)})") for name in found)
    assert all(printable(name) == name for name in found)


def test_a_long_name_keeps_both_ends() -> None:
    assert short_names(["abcdefghijkl", "abc"], 7) == ["abc…jkl", "abc"]
    assert short_names(["abcdefghijkl", "abcXfghijkl"], 7) == ["abc…jkl", "abc…jkl (2)"]


@given(st.text(alphabet=st.characters(codec=None), max_size=40))
def test_printable_text_can_stand_in_xml(text: str) -> None:
    element = etree.Element("x")
    element.text = printable(text)
    assert etree.fromstring(etree.tostring(element)).text == (printable(text) or None)


def test_spread_moves_as_little_as_needed() -> None:
    assert spread([0.0, 1.0, 5.0], 0.5).tolist() == [0.0, 1.0, 5.0]
    assert spread([1.0, 1.0], 1.0).tolist() == [1.5, 0.5]  # the first of equals is the higher one
    assert spread([0.0, 0.5, 1.0], 1.0).tolist() == [-0.5, 0.5, 1.5]
    assert spread([], 1.0).tolist() == []


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=20), st.floats(0.01, 10))
def test_spread_keeps_distance_order_and_mean(wanted: list[float], gap: float) -> None:
    found = spread(wanted, gap)
    ordered = np.sort(found)
    assert (np.diff(ordered) >= gap - 1e-9).all()
    assert found.mean() == pytest.approx(np.mean(wanted), abs=1e-9)
    for one in range(len(wanted)):
        for other in range(len(wanted)):
            if wanted[one] < wanted[other]:
                assert found[one] < found[other]


def test_no_two_runs_look_alike() -> None:
    looks = styles(65, baseline=3)
    assert len({(look.colour, look.marker, str(look.dash)) for look in looks}) == 65
    assert looks[3].colour == light("baseline")
