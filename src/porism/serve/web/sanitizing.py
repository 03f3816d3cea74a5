"""A second fence: markup made of documents and questions passes a sanitizer, which knows what our writers write.

Text is escaped and formulas are written from trees, so nothing of a source is markup. Should a writer make a mistake
one day, the sanitizer (nh3: ammonia on the HTML parser of a browser) removes all that none of them writes on purpose.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from html import escape
from typing import Any

from porism.extras import need

FORMULA: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        (
            "merror", "mmultiscripts", "mn", "mprescripts", "mroot", "msqrt", "msub", "msubsup", "msup", "mtd", "mtext",
            "mtr", "munderover",
        ),
        frozenset({"class"}),
    ),
    "math": frozenset({"xmlns", "display"}),
    "mfrac": frozenset({"class", "displaystyle", "linethickness"}),
    "mi": frozenset({"class", "mathvariant"}),
    "mo": frozenset({
        "class", "fence", "form", "lspace", "maxsize", "minsize", "movablelimits", "rspace", "stretchy", "symmetric",
    }),
    "mover": frozenset({"class", "accent"}),
    "mpadded": frozenset({"depth", "height", "width"}),
    "mphantom": frozenset(),
    "mrow": frozenset({"class", "displaystyle", "mathbackground", "mathcolor"}),
    "mspace": frozenset({"class", "depth", "height", "width"}),
    "mstyle": frozenset({"displaystyle", "scriptlevel"}),
    "mtable": frozenset({"class", "displaystyle", "scriptlevel"}),
    "munder": frozenset({"class", "accentunder"}),
}
"""The elements and attributes of formulas."""

PASSAGE: Mapping[str, frozenset[str]] = {
    "a": frozenset({"aria-label", "class", "data-latex", "data-links", "data-part", "data-text", "href"}),
    "mark": frozenset({"class", "data-part"}),
    "span": frozenset({"class", "data-latex", "data-part"}),
}
"""What passages have around their words and formulas."""

_LOOK = frozenset({
    "class", "clip-path", "fill", "stroke", "stroke-dasharray", "stroke-dashoffset", "stroke-linecap",
    "stroke-linejoin", "stroke-opacity", "stroke-width",
})

DRAWING: Mapping[str, frozenset[str]] = {
    "circle": _LOOK | {"cx", "cy", "r"},
    "clipPath": frozenset({"id"}),
    "defs": frozenset(),
    "desc": frozenset({"id"}),
    "g": _LOOK,
    "path": _LOOK | {"d", "id"},
    "rect": _LOOK | {"height", "rx", "width", "x", "y"},
    "svg": _LOOK | {"aria-label", "aria-labelledby", "height", "role", "viewBox", "width", "xmlns"},
    "text": _LOOK | {"font-size", "font-weight", "text-anchor", "transform", "x", "y"},
    "title": frozenset({"id"}),
    "use": _LOOK | {"href", "x", "y"},
}
"""The elements and attributes of trees and plots."""


def clean_formula(mathml: str) -> str:
    """A ``<math>`` element of what our formulas have, and nothing else."""
    return _clean(_cleaner("formula"), mathml)


def clean_drawing(svg: str) -> str:
    """An ``<svg>`` element of what our drawings have, and nothing else."""
    return _clean(_cleaner("drawing"), svg)


def clean_text(text: str) -> str:
    """Text as HTML, without a tag."""
    html = escape(text)
    return _clean(_cleaner("text"), html) if "<" in html else html


def element(name: str, inner: str, **attributes: str | None) -> str:
    """An element of a passage around ``inner``, which is clean; ``data_part`` is the attribute ``data-part``.

    Attributes of None are left out. Of a tag that the sanitizer refuses, ``inner`` is left.
    """
    written = "".join(
        f' {key.replace("_", "-")}="{escape(value)}"' for key, value in attributes.items() if value is not None
    )
    opening = _opening(name, written)
    return f"{opening}{inner}</{name}>" if opening else inner


@lru_cache(16_384)
def _opening(name: str, attributes: str) -> str:
    """A tag as the sanitizer leaves it; empty where it does not leave one tag."""
    closing = f"</{name}>"
    cleaned = _clean(_cleaner("passage"), f"<{name}{attributes}>{closing}")
    opening = cleaned.removesuffix(closing)
    is_one = opening.startswith(f"<{name}") and opening.endswith(">") and opening.count("<") == 1
    return opening if is_one and opening != cleaned else ""


@lru_cache(4)
def _cleaner(kind: str) -> Any:
    """The sanitizer for one kind of markup; addresses lead to pages of this server."""
    elements: Mapping[str, frozenset[str]] = {
        "formula": FORMULA, "passage": PASSAGE, "drawing": DRAWING, "text": {},
    }[kind]
    return need("nh3", "web", "the pages").Cleaner(
        tags=set(elements), attributes={name: set(own) for name, own in elements.items()}, url_schemes=set(),
        link_rel=None,
    )


def _clean(cleaner: Any, markup: str) -> str:
    """The markup without what is not allowed; no-break spaces are characters, which readers of XML know too."""
    cleaned: str = cleaner.clean(markup)
    return cleaned.replace("&nbsp;", "\xa0") if "&nbsp;" in cleaned else cleaned
