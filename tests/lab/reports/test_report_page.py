"""The page: well formed, self-contained, escaped, accessible, and the same each time."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from lxml import html as lxml_html

from porism.lab.reports import Report, html_page, make_report, plots, write_html
from porism.lab.reports.theme import COLOURS
from porism.runs.run import Run
from porism.types import Content, Formula, Query

ODD = r"<b>&$_%$ \x{}^~#"


@pytest.fixture(scope="module")
def page(report: Report) -> str:
    return html_page(report)


@pytest.fixture(scope="module")
def tree(page: str) -> lxml_html.HtmlElement:
    return lxml_html.document_fromstring(page)


def test_the_same_report_gives_the_same_bytes(page: str, report: Report) -> None:
    assert html_page(report) == page


def test_nothing_comes_from_elsewhere_and_nothing_runs(page: str, tree: lxml_html.HtmlElement) -> None:
    for element in tree.iter():
        for attribute in ("href", "src", "srcset", "data", "action"):
            assert element.get(attribute, "#").startswith("#"), (element.tag, attribute)
        assert not any(name.startswith("on") for name in element.attrib)
    assert not tree.xpath("//script | //link | //iframe | //img | //object")
    assert not re.search(r"url\((?!#|\"data:)", page)
    assert "@import" not in page
    assert set(re.findall(r"https?://[^\s\"'<]+", page)) <= {
        "http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML",
    }


def test_links_and_labels_point_at_ids_and_ids_are_unique(tree: lxml_html.HtmlElement) -> None:
    ids = [element.get("id") for element in tree.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for element in tree.iter():
        if (element.get("href") or "").startswith("#"):
            assert element.get("href")[1:] in ids
        for name in (element.get("aria-labelledby") or "").split():
            assert name in ids


def test_names_are_escaped(page: str, tree: lxml_html.HtmlElement) -> None:
    assert "<b>&" not in page
    assert "<i>" not in page
    rows = [cell.text_content().strip() for cell in tree.xpath("//section[@id='runs']//tbody/tr/th")]
    assert rows == [f"{ODD} ‡", "plain", "_fused †", "slow"]
    assert tree.xpath("//h1")[0].text_content() == "A <i>title</i>"


def test_values_stars_and_counts_are_those_of_the_comparison(tree: lxml_html.HtmlElement, report: Report) -> None:
    cells = [cell.text_content() for cell in tree.xpath("//section[@id='runs']//tbody/tr[2]/td")]
    for measure, cell in zip(report.comparison.measures, cells, strict=True):
        result = report.result(measure, "plain")
        value = report.comparison["plain"].aggregated[measure]
        shown = str(value) if isinstance(value, int) else f"{value:.3f}"
        assert cell.startswith(shown + result.stars)
    counts = [cell.text_content() for cell in tree.xpath("(//section[@id='baseline']//tbody)[1]/tr[1]/td")][2:5]
    result = report.result("nDCG'", "plain")
    assert counts == [str(result.wins), str(result.ties), str(result.losses)] == ["0", "0", "6"]


def test_the_warning_stands_before_all_numbers(page: str) -> None:
    warning = page.index("_fused: tuned on 2 of these 6 topics: not held out.")
    assert warning < page.index('class="lede"')
    assert warning < page.index("<table")


def test_without_tuned_runs_there_is_no_warning(runs: list[Run]) -> None:
    qrels = {f"t{number}": {"a": 3, "b": 2} for number in range(1, 7)}
    page = html_page(make_report(runs[:2], qrels, ["nDCG'"], detailed=False))
    assert "Not held out" not in page
    assert "<svg" not in page


def test_every_figure_has_text_title_description_and_caption(tree: lxml_html.HtmlElement, report: Report) -> None:
    figures = tree.xpath("//figure")
    assert len(figures) == len(plots(report))
    for figure in figures:
        (picture,) = figure.xpath(".//*[local-name()='svg']")
        assert picture.get("role") == "img"
        assert picture.xpath("./*[local-name()='title']")[0].text.strip()
        assert picture.xpath("./*[local-name()='desc']")[0].text.strip()
        assert picture.xpath(".//*[local-name()='text']")
        assert len(figure.xpath("./figcaption")[0].text_content()) > 40


def test_every_plot_has_its_place_in_the_page(tree: lxml_html.HtmlElement, report: Report) -> None:
    titles = [heading.text_content() for heading in tree.xpath("//figure/h3")]
    assert sorted(titles) == sorted(plot.title for plot in plots(report))


def test_tables_have_headers_with_scope(tree: lxml_html.HtmlElement) -> None:
    for table in tree.xpath("//table"):
        assert all(cell.get("scope") == "col" for cell in table.xpath("./thead//th"))
        assert all(row.xpath("./th[1]/@scope") == ["row"] for row in table.xpath("./tbody/tr"))
        columns = len(table.xpath("./thead/tr/th"))
        assert all(len(row) == columns for row in table.xpath("./tbody/tr"))
    headings = [int(heading.tag[1]) for heading in tree.xpath("//h1 | //h2 | //h3")]
    assert headings.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(headings))


def test_light_and_dark_are_variables(page: str) -> None:
    assert "@media screen and (prefers-color-scheme:dark)" in page
    used = set(re.findall(r"var\(--([\w-]+)\)", page))
    assert used <= set(COLOURS)
    assert {"surface", "ink", "series-1"} <= used


def test_how_it_was_measured_is_said(tree: lxml_html.HtmlElement) -> None:
    text = tree.xpath("//section[@id='method']")[0].text_content()
    for part in (
        "6 topics of qrels_&.txt", "counts as zero", "paired t-test, two-tailed", "Holm–Bonferroni", "for 3 tests",
        "seed 0", "10,000 bootstrap samples", "plain has zero for 1 topic", "nDCG, judged documents only", "rrf",
    ):
        assert part in text, part
    footer = tree.xpath("//footer")[0].text_content()
    for package in ("Porism ", "ir_measures ", "NumPy "):
        assert package in footer


def test_every_topic_is_listed(tree: lxml_html.HtmlElement, report: Report) -> None:
    rows = tree.xpath("//section[@id='topics']//tbody/tr")
    assert [row[0].text for row in rows] == list(report.comparison.topics)
    assert [cell.text_content() for cell in rows[0]][:4] == ["t1word ", "1", "0 %", "1.000"]


def test_a_name_that_no_page_can_hold_is_replaced(tmp_path) -> None:
    run = Run({"t1": [("a", 1.0)]}, "a\x00b\ud800c")
    report = make_report([run, run], {"t1": {"a": 1}}, ["nDCG'"])
    text = write_html(report, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "a��c" not in text
    assert "a�b�c" in text
    assert "\x00" not in text


def test_short_names_do_not_break_and_long_ones_only_behind_signs(runs: list[Run]) -> None:
    long = Run({"t1": [("a", 1.0)]}, "a-very-long-name_of-a-run")
    qrels = {"t1": {"a": 3}, "t2": {"a": 3}}
    page = html_page(make_report([runs[1].renamed("tangent-l"), long], qrels, detailed=False))
    assert '<span class="whole">tangent-l</span>' in page
    assert "a-<wbr>very-<wbr>long-<wbr>name_<wbr>of-<wbr>a-<wbr>run" in page


def test_a_page_of_one_run_compares_nothing(runs: list[Run]) -> None:
    page = html_page(make_report(runs[1:2], {topic: {"a": 1, "b": 0} for topic in ("t2", "t3")}, ["nDCG'"]))
    text = lxml_html.document_fromstring(page).find("body").text_content()
    for word in ("bold", "baseline", "grey", "other runs", "are better"):
        assert word not in text, word
    assert "a topic without such a document counts as 0" in text


def test_topics_show_what_they_ask_with_formulas_in_the_font_of_the_page() -> None:
    runs = [
        Run({"t1": [(found, 1.0)], "t2": [("b", 1.0)]}, name) for name, found in (("first", "a"), ("other", "b"))
    ]
    qrels = {"t1": {"a": 1}, "t2": {"b": 1}}
    title = Content.of("Why is ", Formula(r"x^2<1"), " & <b>not</b>?")
    asked = [
        Query("t1", {"title": title, "question": Content.of("Long.")}), Query("t2", {"query": Content.of("y" * 900)}),
    ]
    page = html_page(make_report(runs, qrels, ["P@1"], queries=asked))
    shown = "Why is <math xmlns=\"http://www.w3.org/1998/Math/MathML\"><mrow><msup>"
    assert page.count(shown) == 2  # among all topics, and among those that differ most
    assert "</math> &amp; &lt;b&gt;not&lt;/b&gt;?" in page
    assert "y" * 160 + "…" in page
    assert "y" * 161 not in page
    assert page.count("data:font/woff2;base64,") == 1
    assert "Long." not in page
    plain = html_page(make_report(runs, qrels, ["P@1"]))
    assert "font/woff2" not in plain
    assert 'class="question"' not in plain


def test_of_a_run_alone_the_best_and_the_worst_topics_are_shown() -> None:
    run = Run({f"t{n}": [("a" if n < 4 else "b", 1.0)] for n in range(8)}, "alone")
    asked = [Query(f"t{n}", {"query": Content.of(f"Question {n}")}) for n in range(8)]
    page = html_page(make_report([run], {f"t{n}": {"a": 1} for n in range(8)}, ["P@1"], queries=asked, detailed=False))
    table = lxml_html.document_fromstring(page).xpath("//section[@id='differences-section']//tbody/tr/th")
    assert [cell.text_content() for cell in table] == [f"Question {n}" for n in (0, 1, 2, 5, 6, 7)]


def test_no_control_character_reaches_a_page() -> None:
    run = Run({"t": [("a", 1.0)]}, "run\x1b[31m")
    asked = [Query("t", {"query": Content.of("Words\x1b[31m and ", Formula("x\x1b+\x9by"))})]
    page = html_page(make_report([run], {"t": {"a": 1}}, ["P@1"], queries=asked, detailed=False))
    assert "\x1b" not in page
    assert "\x9b" not in page
