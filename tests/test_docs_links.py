"""Every link within the documentation leads to a file that exists, and to a heading that it has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from case_tables import every_case

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").rglob("*.md")])


def without_code(text: str) -> str:
    """The text of a page without its fenced blocks and code spans."""
    text = re.sub(r"^ *(```+).*?^ *\1$", "", text, flags=re.M | re.S)
    return re.sub(r"(`+).+?\1", "", text, flags=re.S)


def links(text: str) -> Iterator[str]:
    """The targets of the links and pictures of a page that lead to no other site."""
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(text)):
        if not re.match(r"[a-z]+:", target):
            yield target


def anchors(text: str) -> set[str]:
    """The names of the headings of a page, as GitHub and the builder of the site make them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^ *(```+).*?^ *\1$", "", text, flags=re.M | re.S), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def problem(page: Path, target: str) -> str | None:
    """What is wrong with a link of a page; None if nothing is."""
    file, _, anchor = target.partition("#")
    path = page if not file else (page.parent / file).resolve()
    if not path.exists():
        return f"{target}: no such file"
    if anchor and anchor not in anchors(path.read_text(encoding="utf-8")):
        return f"{target}: no such heading"
    return None


@every_case("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    found = (problem(page, target) for target in links(page.read_text(encoding="utf-8")))
    assert [one for one in found if one] == []


def test_broken_links_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A `heading`, and more\n[a](#a-heading-and-more) [b](#none) [c](gone.md)\n`[d](x.md)`\n")
    targets = list(links(page.read_text(encoding="utf-8")))
    assert targets == ["#a-heading-and-more", "#none", "gone.md"]
    assert [problem(page, one) for one in targets] == [None, "#none: no such heading", "gone.md: no such file"]
