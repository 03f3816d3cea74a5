"""SVG that can be inlined: text as text, variables for colours, ids of its own, always the same bytes."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from porism.lab.reports.canvas import Plot, drawing, printable, short_names, spread, styles
from porism.lab.reports.layout import new_figure, segments, text_width
from porism.lab.reports.picture import short_path, svg
from porism.lab.reports.theme import COLOURS, light

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


def test_paths_become_relative_without_adding_up_errors() -> None:
    assert short_path("M 0 230.4 \nL 547.2 230.4 \nL 547.2 0 \nL 0 0 \nz", 1) == "M0 230.4h547.2v-230.4h-547.2z"
    assert short_path("M 1 1 L 1.24 1.36 L 0.5 0.22", 1) == "M1 1l.2 .4l-.7-1.2"
    assert short_path("M 2 3 L 2 3", 1) == "M2 3h0"  # a dot, where ends are round
    assert short_path("M 0 0 L 1 1 L 1 1.001 L 2 2", 1) == "M0 0l1 1l1 1"
    assert short_path("M 0 1 C 0.333 1 0.5 -0.5 1e-05 2", 2) == "M0 1C.33 1 .5-.5 0 2"


@given(st.lists(st.tuples(st.floats(-500, 500), st.floats(-500, 500)), min_size=2, max_size=40))
def test_no_point_of_a_path_moves_by_more_than_rounding(points: list[tuple[float, float]]) -> None:
    path = short_path("M " + " L ".join(f"{x!r} {y!r}" for x, y in points), 1)
    at, found = np.zeros(2), []
    for command, numbers in re.findall(r"([MLlhv])([^MLlhv]*)", path):
        given_numbers = [float(number) for number in re.findall(r"-?[\d.]+", numbers)]
        step = {"h": [1, 0], "v": [0, 1]}.get(command)
        move = np.array(given_numbers) if step is None else np.array(step) * given_numbers[0]
        at = move if command == "M" else at + move
        found.append(at)
    for point in points:
        assert min(np.abs(np.array(found) - point).max(axis=1)) <= 0.05 + 1e-6
    assert np.abs(found[-1] - points[-1]).max() <= 0.05 + 1e-6


def test_marks_of_one_look_share_their_style_and_shape() -> None:
    with drawing():
        figure = new_figure()
        figure.subplots().plot(range(50), range(50), linestyle="none", marker="s", color=light("series-2"), alpha=0.5)
    root = etree.fromstring(svg(Plot("marks", "t", "c", "d", figure)))
    group = max((group for group in root.iter(f"{SVG}g")), key=lambda group: len(group.findall(f"{SVG}use")))
    marks = group.findall(f"{SVG}use")
    assert len(marks) == 50
    assert {mark.get("style") for mark in marks} == {None}
    assert len({mark.get("href") for mark in marks}) == 1
    assert "fill: var(--series-2)" in group.get("style")


def test_margins_stay_when_a_figure_gets_another_size() -> None:
    with drawing():
        figure = new_figure(6.0, 3.0, left=1.2, right=0.6, bottom=0.5, top=0.25)
        axes = figure.subplots()
    figure.set_size_inches(4, 2)
    figure.draw_without_rendering()
    box = axes.get_position()
    assert [4 * box.x0, 4 * (1 - box.x1), 2 * box.y0, 2 * (1 - box.y1)] == pytest.approx([1.2, 0.6, 0.5, 0.25])


def test_widths_grow_with_letters_and_wide_ones_count_more() -> None:
    assert text_width("iiii") < text_width("aaaa") < text_width("漢漢漢漢") == pytest.approx(4 * 8 / 72)
    assert text_width("e\u0301") == text_width("e")


def test_segments_have_gaps_between_them() -> None:
    x, y = segments([1, 2], [3, 4], [5, 6], [7, 8])
    assert x == pytest.approx([1, 5, np.nan, 2, 6, np.nan], nan_ok=True)
    assert y == pytest.approx([3, 7, np.nan, 4, 8, np.nan], nan_ok=True)
