"""What classes of elements say in pages of generators: theorem-like blocks, their titles, what is no content."""

from __future__ import annotations

from collections.abc import Sequence

from selectolax.lexbor import LexborNode

from porism.corpus.base import clean
from porism.corpus.latex.tables import words
from porism.corpus.sections import kind_of, own_title, titled_kind
from porism.types import Content

NO_CONTENT_CLASSES = words(
    "ltx_bibliography ltx_page_navbar ltx_page_footer ltx_page_header ltx_TOC ltx_authors ltx_dates ltx_pagination "
    "ltx_index ltx_ERROR navbar sidebar breadcrumb breadcrumbs toc menu mw-editsection navigation cookie-banner "
    "site-footer site-header ar5iv-footer ltx_classification ltx_rdf ltx_note_outer_hidden printfooter catlinks "
    "reflist navbox eqno indextable genindex-jumpbox ltx_metadata ltx_note_mark ltx_tag_note ltx_tag_equation "
    "quarto-title-meta theme-doc-version-badge theme-doc-version-banner theme-doc-toc-mobile tableOfContents "
    "pagination-nav"
)
NUMBER_CLASSES = words("ltx_tag header-section-number chapter-number section-number codenumber secno")
"""Classes of the numbers in headings."""
_GENERAL = frozenset(("theorem", "proof"))
"""What generators call all theorem-like blocks (``theorem lemma``, ``proof remark``)."""
_ADMONITIONS = words("admonition callout theme-admonition")
_ADMONITION_TITLES = ".admonition-title, .callout-title-container, [class^=admonitionHeading]"


def kind_of_classes(classes: Sequence[str]) -> str | None:
    """The type of unit that an element with these classes is."""
    if "ltx_abstract" in classes:
        return "abstract"
    if "ltx_proof" in classes:
        return "proof"
    latexml = "ltx_theorem" in classes
    kinds: list[str] = []
    for name in classes:
        if name.startswith("ltx_theorem_"):
            plain = name.removeprefix("ltx_theorem_").lower()
            return kind_of(plain) or plain
        if not latexml and name != "note" and len(name) > 3 and (kind := kind_of(name)):
            kinds.append(kind)
    if kinds and kinds[0] in _GENERAL:
        return next((kind for kind in kinds if kind != kinds[0]), kinds[0])
    return kinds[0] if kinds else "theorem" if latexml else None


def admonition_title(node: LexborNode, classes: Sequence[str]) -> LexborNode | None:
    """The element with the title of an admonition or callout; None where the element is none, or has no title."""
    return None if _ADMONITIONS.isdisjoint(classes) else node.css_first(_ADMONITION_TITLES)


def titled(title: LexborNode, kind: str | None) -> tuple[str | None, Content | None]:
    """The type that the title of an admonition says, where its classes say none, and its title without that."""
    content = Content(" ".join(clean(title.text()).split()))
    return kind or titled_kind(content), own_title(content) or None


def is_title(node: LexborNode) -> bool:
    """Whether an element in running text is the head of a statement (``theorem-title``, ``caption-number``)."""
    return any(
        name.endswith("-title") or name == "caption-number" for name in (node.attributes.get("class") or "").split()
    )
