"""Where the content of a page is, by what its elements say of themselves, and what of a site is no content at all."""

from __future__ import annotations

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from porism.corpus.html.tree import walk

_MAIN = "main, [role=main]"
_RESULTS = "[id$=search-results], #porism-search"
_DEFINITION = "\\"

MAX_REGIONS = 8
MIN_LINKS = 20
MIN_LINKED = 0.9
"""A page of a site with so many links, whose text is theirs to such a part, is a list of contents or an index."""


def main_region(body: LexborNode) -> LexborNode | None:
    """The element of a page's content: its innermost ``main``, or the one ``article`` in it that has most of its text.

    Without a ``main`` it is the only ``article`` of the page, and None without one: all of the page is content then.
    """
    regions = body.css(_MAIN)
    if len(regions) > 1:  # of one in the other, the inner one; else several pages in one
        regions = [region for region in regions[:MAX_REGIONS] if len(region.css(_MAIN)) == 1]
        if len(regions) != 1:
            return None
    around = regions[0] if regions else body
    articles = around.css("article")
    if len(articles) == 1 and (not regions or 2 * len(articles[0].text()) > len(around.text())):
        return articles[0]
    return regions[0] if regions else None


def is_left_out(main: LexborNode) -> str:
    """Why a page of a site has no content of its own: a sentence, empty where it has."""
    results = main.css_first(_RESULTS)
    if results is not None and not results.text().strip():
        return "the page only shows the results of a search"
    links = main.css("a[href]")
    if len(links) >= MIN_LINKS:
        linked = sum(len("".join(link.text().split())) for link in links)
        if linked >= MIN_LINKED * len("".join(main.text().split())):
            return "the page is a list of links"
    return ""


def is_permalink(link: LexborNode) -> bool:
    """Whether a link is the sign beside a heading or an equation that leads to itself (``¶``, ``#``)."""
    if "#" not in (link.attributes.get("href") or "") or link.css_first("img, math, script") is not None:
        return False
    return not any(map(str.isalnum, link.text()))


def definitions_beside(body: LexborNode, main: LexborNode) -> Iterator[str]:
    """Texts of a page outside its content that may define macros."""
    texts: list[str] = []

    def enter(node: LexborNode, tag: str) -> bool:
        if tag == "-text" and _DEFINITION in (text := node.text_content or ""):
            texts.append(text)
        return tag not in ("script", "style") and node.mem_id != main.mem_id

    walk(body, enter, lambda tag: None)
    return iter(texts)
