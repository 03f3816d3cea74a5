"""Extensions of systems as a tree, with what each adds."""

from __future__ import annotations

import pytest
from case_tables import every_case

from porism.errors import ConfigError
from porism.lab.reports import FusionExtension, Report, html_page, make_report, report_values, text_table
from porism.lab.reports.extensions import extension_table, extensions_plot
from porism.runs.run import Run

TREE = (FusionExtension("a", "one", "b"), FusionExtension("b", "two", "c"), FusionExtension("a", "three", "d"))


@pytest.fixture(scope="module")
def extended() -> Report:
    """Reciprocal ranks of a relevant document: a 1/2 in all eight topics, b 1, c 1/4, d 1/2."""
    places = {"a": 1, "b": 0, "c": 3, "d": 1}
    runs = []
    for name, place in places.items():
        docs = ["x", "y", "z"]
        docs.insert(place, "relevant")
        ranked = [(doc, -float(rank)) for rank, doc in enumerate(docs)]
        runs.append(Run({f"t{number}": ranked for number in range(8)}, name))
    qrels = {f"t{number}": {"relevant": 1, "x": 0, "y": 0, "z": 0} for number in range(8)}
    return make_report(runs, qrels, ["RR"], extensions=TREE)


def test_rows_follow_what_they_extend(extended: Report) -> None:
    rows = extended.extensions
    assert [(row.system, row.depth, row.value, row.before, row.difference) for row in rows] == [
        ("a", 0, 0.5, None, None), ("b", 1, 1.0, 0.5, 0.5), ("c", 2, 0.25, 1.0, -0.75), ("d", 1, 0.5, 0.5, 0.0),
    ]
    assert [row.p for row in rows] == [None, 2 / 2**8, 2 / 2**8, 1.0]
    assert rows[2].to_dict() == {
        "system": "c", "depth": 2, "value": 0.25, "before": 1.0, "p": 2 / 2**8, "of": "b", "adds": "two",
        "difference": -0.75,
    }
    assert report_values(extended)["extensions"][0] == {
        "system": "a", "depth": 0, "value": 0.5, "before": None, "p": None, "difference": None,
    }


def test_the_tree_as_a_table(extended: Report) -> None:
    assert extension_table(extended.extensions, "RR") == [
        ["extension", "system", "RR", "difference", "p"],
        ["a", "", "0.5000", "", ""],
        ["  + one", "b", "1.0000", "+0.5000", "0.008"],
        ["    + two", "c", "0.2500", "−0.7500", "0.008"],
        ["  + three", "d", "0.5000", "0.0000", "1.000"],
    ]
    text = text_table(extended)
    (line,) = (line for line in text.splitlines() if "+ two" in line)
    assert line.startswith("    + two  ")
    assert line.split() == ["+", "two", "c", "0.2500", "−0.7500", "0.008"]
    assert "p is of a permutation test of the extension" in text


def test_the_tree_as_a_plot(extended: Report) -> None:
    plot = extensions_plot(extended.extensions, "RR")
    (axes,) = plot.figure.axes
    assert [label.get_text().replace("\u00a0", "_") for label in axes.get_yticklabels()] == [
        "a", "____+ one", "________+ two", "____+ three",
    ]
    arrows = [(note.xyann, note.xy) for note in axes.texts if note.get_text() == ""]
    assert arrows == [((0.5, 1), (1.0, 1)), ((1.0, 2), (0.25, 2)), ((0.5, 3), (0.5, 3))]
    assert "c: 0.250 (−0.750), b with two." in plot.description
    page = html_page(extended)
    assert 'id="extensions-title"' in page
    assert '<section id="extensions">' in page


@every_case(("extensions", "message"), [
    ([("a", "x", "e")], "there is no run 'e' to extend"),
    ([("a", "x", "b"), ("c", "y", "b")], "'b' extends two systems"),
    ([("a", "x", "b"), ("b", "y", "a")], "'b' extends itself"),
])
def test_what_is_no_tree(extended: Report, extensions: list[tuple[str, str, str]], message: str) -> None:
    from porism.lab.reports.extensions import increments

    with pytest.raises(ConfigError, match=message):
        increments(extended.comparison, [FusionExtension(*one) for one in extensions])
