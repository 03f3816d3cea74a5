"""Pages in a real browser: typing, matches, explanations, comparing, keyboard, phone, dark, no scripts, axe."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from long_forms import LONG_ONLY

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

from web_pages import PAGES, QUESTION, RUN_PAGES, serving_all_pages
from web_servers import Open


@pytest.fixture(scope="module")
def url(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving_all_pages(sample_index, tmp_path_factory.mktemp("pages")) as address:
        yield address


def test_a_question_is_typed_understood_and_answered(opened: Open) -> None:
    page = opened("/")
    page.wait_for_selector("#q:focus")
    page.keyboard.type(QUESTION)
    page.wait_for_selector("#preview .part.formula math munderover")
    page.keyboard.press("Enter")
    page.wait_for_selector(".card")
    assert page.locator("#q").input_value() == QUESTION
    first = page.locator(".card").first
    assert first.locator("h2 a").inner_text() == "Sum of the first n squares"
    marked = first.locator(".snippet .f.hit.c1 .m").first
    plain = first.locator(".snippet .f.hit.c1 mn:not(.m)").last
    colour = "element => getComputedStyle(element).color"
    assert marked.evaluate(colour) != plain.evaluate(colour)
    page.goto("/".join(page.url.split("/")[:3]))
    assert page.locator("#recent li code").all_inner_texts() == [QUESTION]
    page.click("#forget")
    page.reload()
    assert page.locator("#recent li").count() == 0


def test_formulas_are_set_in_the_font_that_the_server_has(opened: Open) -> None:
    page = opened("/formula?formula=" + quote(r"\left(\frac{a}{b}\right)^2+\left|\frac{x}{y}\right|"))
    page.evaluate("document.fonts.ready.then(() => 0)")
    assert page.evaluate("[...document.fonts].map(font => font.family + ' ' + font.status)") == ["Porism Math loaded"]
    assert page.evaluate("performance.getEntriesByType('resource').every(one => one.name.startsWith(location.origin))")
    heights = page.evaluate(
        "[...document.querySelectorAll('main math mo[stretchy=true]')].map(one => one.getBoundingClientRect().height)"
    )
    assert len(heights) == 4
    assert heights[0] == heights[1] > 1.4 * page.locator("main math mi").first.bounding_box()["height"]
    assert heights[2] == heights[3]


def test_an_explanation_opens_within_the_result(opened: Open) -> None:
    page = opened(PAGES[1])
    page.locator("a.why").first.click()
    panel = page.locator(".card").first.locator(".why-panel")
    panel.locator(".reasons").wait_for()
    assert panel.locator("strong").all_inner_texts() == ["A formula that contains it."]
    assert panel.locator("dt").all_inner_texts()[:3] == ["asked for", "found", "with"]
    assert panel.locator("mark").all_inner_texts() == ["sum", "squares"]
    assert panel.locator("dl math .s1").count() == 4  # i, twice in the question, and k
    assert "channel words" not in panel.inner_text()
    panel.locator("summary", has_text="details").click()
    assert "channel words" in panel.inner_text()
    page.locator("a.why").first.click()
    assert not panel.is_visible()


def test_pointing_at_a_part_of_the_question_shows_its_matches_alone(opened: Open) -> None:
    page = opened(PAGES[1])
    page.locator(".understood .part.formula .hit").hover()
    assert page.locator("body.focusing").count() == 1
    assert page.locator(".card .f.hit.lit").count() >= 1
    assert page.locator(".card mark.lit").count() >= 1  # the formula's letters, written as words
    part = page.locator(".understood .part.formula").get_attribute("data-part")
    assert page.locator(f".card .lit[data-part]:not([data-part='{part}'])").count() == 0


def test_completions_are_taken_by_keyboard(opened: Open) -> None:
    page = opened("/")
    page.wait_for_selector("#q:focus")
    page.keyboard.type("the binom", delay=15)
    page.wait_for_selector("#completions li")
    page.keyboard.press("ArrowDown")
    assert page.locator("#q").get_attribute("aria-activedescendant") == "completion-0"
    page.keyboard.press("Tab")
    assert page.locator("#q").input_value() == "the binomial"
    assert not page.locator("#completions").is_visible()


def test_a_command_is_completed_and_a_title_opens_its_document(opened: Open) -> None:
    page = opened("/")
    page.wait_for_selector("#q:focus")
    page.keyboard.type(r"sum $\fr", delay=15)
    page.wait_for_selector("#completions .glyph math mfrac")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    assert page.locator("#q").input_value() == r"sum $\frac"
    page.fill("#q", "")
    page.keyboard.type("chain ru", delay=15)
    page.locator("#completions li", has_text="opens").first.wait_for()
    assert page.locator("#q").input_value() == "chain ru"
    page.locator("#completions li", has_text="opens").first.click()
    page.wait_for_url("**/document?id=chain-rule")


def test_the_palette_writes_into_the_formula(opened: Open) -> None:
    page = opened("/")
    page.click("#palette-button")
    page.click("#palette button[aria-label='fraction']")
    assert page.locator("#q").input_value() == r"$\frac{}{}$"
    page.keyboard.type("a")
    assert page.locator("#q").input_value() == r"$\frac{a}{}$"
    page.click("#palette button[aria-label='alpha']")
    assert page.locator("#q").input_value() == r"$\frac{a\alpha }{}$"


def test_the_editor_runs_in_its_own_frame_and_hands_its_formula_over(opened: Open) -> None:
    page = opened("/")
    page.click("#editor-button")
    page.frame_locator("#editor iframe").locator("#take").click()
    page.locator("#editor").wait_for(state="hidden")
    assert page.locator("#q").input_value() == "$x^2$"


def test_a_formula_of_a_document_can_be_found_and_copied(opened: Open, url: str) -> None:
    page = opened("/document?id=basel-by-parseval")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=url)
    formula = page.locator(".pick", has=page.locator("mfrac")).first
    formula.click()
    menu = page.locator("#formula-menu")
    menu.locator("[data-do=latex]").click()
    menu.locator("text=Copied").first.wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == formula.get_attribute("data-latex")
    page.wait_for_timeout(800)
    formula.click()
    page.keyboard.press("Enter")  # the first item has the focus
    page.wait_for_selector(".hits.formulas .card")
    assert page.locator(".relation").first.inner_text().startswith("identical")


def test_two_documents_are_compared_from_the_results(opened: Open) -> None:
    page = opened("/search?q=square")
    first, second = (page.locator("button.compare").nth(number) for number in (0, 1))
    ids = [first.get_attribute("data-id"), second.get_attribute("data-id")]
    first.click()
    assert page.locator(".tray").is_visible()
    second.click()
    page.wait_for_url("**/compare?*")
    assert f"left={ids[0]}" in page.url
    assert f"right={ids[1]}" in page.url


def test_pointing_at_a_formula_lights_its_counterpart(opened: Open) -> None:
    page = opened("/compare?left=sum-of-squares&right=square-pyramid")
    left = page.locator(".sides article").first.locator(".linked").first
    right = page.locator(f".sides article:last-child [data-links~={left.get_attribute('data-links')}]").first
    assert "lit" not in (right.get_attribute("class") or "")
    left.hover()
    assert "lit" in (right.get_attribute("class") or "")
    assert page.locator("tr.lit").count() == 1


def test_the_operator_tree_is_drawn_on_request(opened: Open) -> None:
    page = opened(PAGES[1])
    page.locator(".tree-link").first.click()
    page.wait_for_selector(".tree-panel svg .operator")
    page.keyboard.press("Escape")
    assert page.locator(".tree-panel").count() == 0


def test_results_are_walked_through_by_keys(opened: Open) -> None:
    page = opened("/search?q=series")
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.closest('.card').dataset.id") == page.locator(
        ".card"
    ).nth(1).get_attribute("data-id")
    page.keyboard.press("w")
    page.locator(".card").nth(1).locator(".reasons").wait_for()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"


def test_the_theme_is_switched_and_remembered(opened: Open) -> None:
    page = opened("/", color_scheme="dark")
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)
    assert sum(map(int, re.findall(r"\d+", dark)[:3])) < 150
    page.click(".theme")
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    assert page.evaluate(background) != dark


@LONG_ONLY
@pytest.mark.parametrize("path", [*PAGES[:6], "/judge", f"/beside?q={quote(QUESTION)}", *RUN_PAGES])
def test_pages_fit_a_phone(opened: Open, path: str) -> None:
    page = opened(path, viewport={"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_twelve_formulas_look_different_with_colours_and_without(opened: Open, scheme: str) -> None:
    question = " ".join(f"$x^{{{number}}}+y$" for number in range(2, 14))
    page = opened(f"/search?q={quote(question)}", color_scheme=scheme)
    looks = page.locator(".understood .f.hit").evaluate_all("""formulas => formulas.map(formula => {
        const style = getComputedStyle(formula);
        const sides = ["Top", "Right", "Bottom"].map(side => {
            const width = style[`border${side}Width`];
            return width === "0px" ? "none" : `${width} ${style[`border${side}Style`]}`;
        });
        const number = getComputedStyle(formula, "::after").content;
        return {line: sides.join(", "), colour: style.borderBottomColor, number};
    })""")
    assert len(looks) == 12
    assert len({look["line"] for look in looks}) == 12
    assert [look["number"] for look in looks] == [f'"{number}"' for number in range(1, 13)]
    assert len({look["colour"] for look in looks[:5]}) == 5
    few = opened("/search?q=%24x%5E2%2By%24+%24z%5E3%24", color_scheme=scheme).locator(".understood .f.hit").first
    assert few.evaluate("formula => getComputedStyle(formula, '::after').content") == "none"


def test_without_scripts_everything_is_a_link_or_a_form(opened: Open) -> None:
    page = opened("/", java_script_enabled=False)
    assert not page.locator("#palette-button").is_visible()
    page.locator("#q").fill(QUESTION)
    page.locator(".go").click()
    page.locator(".pages, .exports").first.wait_for()
    assert page.locator(".card").count() == 10
    page.locator("a.why").first.click()
    assert page.locator("h1").inner_text() == "Why this result?"
    page.go_back()
    page.locator(".card h2 a").first.click()
    page.locator("a.pick").first.click()
    assert page.locator(".hits.formulas .card").count() > 0


@pytest.mark.parametrize("scripts", [True, False])
def test_results_are_judged(opened: Open, scripts: bool) -> None:
    page = opened("/judge", java_script_enabled=scripts)
    page.get_by_label("A question to judge for").fill(QUESTION)
    page.get_by_label("A question to judge for").press("Enter")
    page.wait_for_url("**/judge/topic?id=T1")
    page.locator(".grades").nth(1).get_by_label("highly relevant").check()
    page.get_by_role("button", name="Save judgments").click()
    assert "judged, 1 relevant" in page.locator(".hint[role=status]").inner_text()
    assert page.locator(".grades").nth(1).get_by_label("highly relevant").is_checked()
    page.get_by_role("link", name="All questions").click()
    page.locator("tbody tr").first.wait_for()
    assert page.locator("tbody tr").count() == 1


HIDDEN_ON_PAPER = {
    PAGES[1]: (".bar nav", ".bar .box", ".facets", ".actions", ".pages", ".foot", ".tree-link", ".skip"),
    PAGES[2]: (".row > a", ".bar .box", ".pages"),
    PAGES[3]: (".beside", ".crumb", "#formula-menu", ".foot"), PAGES[4]: (".on-screen", ".bar nav"),
    RUN_PAGES[1]: (".ask", ".crumb"),
}
SEEN_ON_PAPER = {
    PAGES[1]: (".brand", ".summary", ".card h2", ".snippet", ".score", ".understood mark"),
    PAGES[2]: (".found math", ".relation", ".places"), PAGES[3]: ("h1", ".place", ".text"),
    PAGES[4]: (".sides article", ".links"), RUN_PAGES[1]: (".measured tfoot", ".plots svg"),
}


@pytest.mark.parametrize("path", HIDDEN_ON_PAPER)
def test_paper_shows_what_is_read_in_black_on_white(opened: Open, path: str) -> None:
    page = opened(path, viewport={"width": 700, "height": 1000}, color_scheme="dark")
    page.click(".theme")
    page.click(".theme")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    for selector in HIDDEN_ON_PAPER[path]:
        assert page.locator(selector).count() > 0, selector
    page.emulate_media(media="print")
    for selector in HIDDEN_ON_PAPER[path]:
        assert not any(one.is_visible() for one in page.locator(selector).all()), selector
    for selector in SEEN_ON_PAPER[path]:
        assert page.locator(selector).first.is_visible(), selector
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("document.documentElement.scrollWidth") <= 700
    wide = "elements => elements.filter(one => one.getBoundingClientRect().right > 701).length"
    assert page.locator("main math, main table").evaluate_all(wide) == 0


def test_runs_are_read_without_scripts_and_plots_have_colours_on_light_and_dark(opened: Open) -> None:
    page = opened("/runs", java_script_enabled=False)
    page.get_by_role("link", name="two", exact=True).click()
    assert page.locator("h1").inner_text() == "two against one"
    page.get_by_role("columnheader", name="Topic").get_by_role("link").click()
    page.get_by_role("columnheader", name="Topic").get_by_role("link").click()
    assert page.locator("tbody th").all_inner_texts() == ["B", "A"]
    page.locator("tbody th a").nth(1).click()
    assert page.locator(".ranking .grade").all_inner_texts() == ["not judged", "3 highly relevant"]
    page.get_by_role("link", name="Search for it").click()
    assert page.locator(".card", has_text="Sum of the first n squares").locator(".grade").inner_text() == (
        "3 highly relevant"
    )
    fill = "element => getComputedStyle(element).stroke"
    drawn = [
        opened(RUN_PAGES[1], color_scheme=scheme).locator(".plots path[stroke*='--baseline']").first.evaluate(fill)
        for scheme in ("light", "dark")
    ]
    assert drawn == ["rgb(59, 64, 73)", "rgb(201, 206, 215)"]


@LONG_ONLY
def test_no_page_has_a_serious_violation_of_accessibility(opened: Open) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs pip install 'porism[web-test]'")
    checker = axe.Axe()
    for scheme in ("light", "dark"):
        page = opened("/judge", fails=True, color_scheme=scheme)
        root = page.url.removesuffix("/judge")
        page.get_by_label("A question to judge for").fill(QUESTION)
        page.get_by_role("button", name="Find documents").click()
        judging = ("/judge", "/judge/topic?id=T1", f"/beside?q={quote(QUESTION)}", *RUN_PAGES)
        for path in (*(PAGES if scheme == "light" else PAGES[:5]), *judging):
            page.goto(root + path)
            page.wait_for_timeout(150)
            found = [
                (one["id"], [node["html"][:150] for node in one["nodes"]][:3])
                for one in checker.run(page).response["violations"] if one["impact"] in ("serious", "critical")
            ]
            assert found == [], (path, scheme)
