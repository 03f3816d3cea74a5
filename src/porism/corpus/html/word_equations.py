"""Equations of Word (OMML) as MathML: on the clipboard, and in pages that Word saves.

Word's HTML has an equation in a comment for Word alone, and a picture of it for all others. In the comment, elements of
OMML are mixed with spans that say how they look.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape, unescape
from typing import Any

from lxml import etree

MAX_DEPTH = 100
"""Of equations nested deeper the text alone is read."""

_FOR_WORD = re.compile(r"<!--\[if gte msEquation \d+\]>(.*?)<!\[endif\]-->", re.DOTALL | re.IGNORECASE)
_FOR_OTHERS = re.compile(r"<!\[if !msEquation\]>.*?<!\[endif\]>", re.DOTALL | re.IGNORECASE)
_EQUATION = re.compile(r"<(\w+):oMath(?=[\s>/]).*?</\1:oMath\s*>", re.DOTALL | re.IGNORECASE)
_OTHER_TAG = r"<(?!/?{prefix}:)/?[A-Za-z!?][^<>]*>"
_TOKEN = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]|\S")


def has_word_equations(html: str) -> bool:
    """Whether a page has equations of Word."""
    return _EQUATION.search(html) is not None


def with_word_equations(html: str) -> str:
    """HTML with the equations of Word as ``<math>`` elements, without their pictures."""
    if not has_word_equations(html):
        return html
    html = _FOR_OTHERS.sub(_line_ends, _FOR_WORD.sub(lambda match: match[1], html))
    return _EQUATION.sub(lambda match: omml_to_mathml(match[0]) + _line_ends(match), html)


def _line_ends(match: re.Match[str]) -> str:
    """The line ends of what is replaced, so that lines keep their numbers."""
    return "\n" * match[0].count("\n")


def omml_to_mathml(omml: str) -> str:
    """An ``oMath`` element as a ``<math>`` element; what is in it that is not OMML is text."""
    match = _EQUATION.search(omml)
    prefix = match[1] if match is not None else "m"
    bare = re.sub(_OTHER_TAG.format(prefix=re.escape(prefix)), "", omml, flags=re.IGNORECASE)
    pieces = re.split(r"(<[^<>]*>)", bare)
    source = "".join(piece if piece[:1] == "<" else escape(unescape(piece), quote=False) for piece in pieces)
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True)
    root = etree.fromstring(f'<r xmlns:{prefix}="m">{source}</r>'.encode(), parser)
    if root is None:
        return ""
    if _depth(root) > MAX_DEPTH:
        return f"<math>{_tokens(''.join(root.itertext()))}</math>"
    return f"<math>{_children(root)}</math>"


def _depth(root: Any) -> int:
    deepest, waiting = 0, [(root, 1)]
    while waiting:
        node, depth = waiting.pop()
        deepest = max(deepest, depth)
        waiting += [(child, depth + 1) for child in node]
    return deepest


def _name(node: Any) -> str:
    return str(node.tag).rpartition("}")[2].lower() if isinstance(node.tag, str) else ""


def _find(node: Any, name: str) -> Any:
    return next((child for child in node if _name(child) == name), None)


def _property(node: Any, name: str, default: str = "") -> str:
    """A value of the properties of an element (``fPr`` of ``f``); the default where it is not there."""
    properties = _find(node, f"{_name(node)}pr")
    found = None if properties is None else _find(properties, name)
    if found is None:
        return default
    return next((str(value) for key, value in found.attrib.items() if re.split("[}:]", key)[-1] == "val"), "")


def _part(node: Any, name: str) -> str:
    """A part of a structure as one row."""
    child = _find(node, name)
    return f"<mrow>{'' if child is None else _children(child)}</mrow>"


def _children(node: Any) -> str:
    return _tokens(node.text or "") + "".join(_element(child) + _tokens(child.tail or "") for child in node)


def _element(node: Any) -> str:
    name = _name(node)
    if name.endswith("pr"):
        return ""
    writer = _STRUCTURES.get(name)
    return _children(node) if writer is None else writer(node)


def _tokens(text: str) -> str:
    """Running symbols, each an element."""
    return "".join(
        f"<mn>{token}</mn>" if token[0].isdigit() else f"<mi>{token}</mi>" if token[0].isalpha()
        else f"<mo>{escape(token, quote=False)}</mo>"
        for token in _TOKEN.findall(text)
    )


def _run(node: Any) -> str:
    text = "".join(node.itertext())
    properties = _find(node, "rpr")
    if properties is not None and _find(properties, "nor") is not None:
        return f"<mtext>{escape(text, quote=False)}</mtext>"
    is_upright = _property(node, "sty") == "p"
    words = text.strip()
    if is_upright and len(words) > 1 and words.isalpha():
        return f'<mi mathvariant="normal">{words}</mi>'
    return _tokens(text)


def _of(element: str, *parts: str) -> Callable[[Any], str]:
    """A writer of an element of MathML with these parts of OMML in it."""
    return lambda node: f"<{element}>{''.join(_part(node, part) for part in parts)}</{element}>"


def _fraction(node: Any) -> str:
    above, below = _part(node, "num"), _part(node, "den")
    kind = _property(node, "type")
    if kind == "lin":
        return f"<mrow>{above}<mo>/</mo>{below}</mrow>"
    line = ' linethickness="0"' if kind.lower() == "nobar" else ""
    return f"<mfrac{line}>{above}{below}</mfrac>"


def _root(node: Any) -> str:
    degree = _part(node, "deg")
    if degree == "<mrow></mrow>" or _property(node, "deghide") not in ("", "0", "off"):
        return f"<msqrt>{_part(node, 'e')}</msqrt>"
    return f"<mroot>{_part(node, 'e')}{degree}</mroot>"


def _large(node: Any) -> str:
    sign = f"<mo>{escape(_property(node, 'chr', '∫') or '∫', quote=False)}</mo>"
    below, above = _part(node, "sub"), _part(node, "sup")
    return f"<mrow><munderover>{sign}{below}{above}</munderover>{_part(node, 'e')}</mrow>"


def _fenced(node: Any) -> str:
    left, right, between = (
        f"<mo>{escape(sign, quote=False)}</mo>" if (sign := _property(node, name, usual)) else ""
        for name, usual in (("begchr", "("), ("endchr", ")"), ("sepchr", "|"))
    )
    inner = between.join(f"<mrow>{_children(child)}</mrow>" for child in node if _name(child) == "e")
    return f"<mrow>{left}{inner}{right}</mrow>"


def _accent(default: str, element: str) -> Callable[[Any], str]:
    def write(node: Any) -> str:
        sign = escape(_property(node, "chr", default) or default, quote=False)
        position = _property(node, "pos", "top" if element == "mover" else "bot")
        name = "mover" if position == "top" else "munder"
        return f'<{name} accent="true">{_part(node, "e")}<mo>{sign}</mo></{name}>'

    return write


def _table(node: Any) -> str:
    rows = (
        "".join(f"<mtd>{_children(cell)}</mtd>" for cell in row if _name(cell) == "e")
        for row in node if _name(row) == "mr"
    )
    return f"<mtable>{''.join(f'<mtr>{row}</mtr>' for row in rows)}</mtable>"


def _lines(node: Any) -> str:
    rows = "".join(f"<mtr><mtd>{_children(line)}</mtd></mtr>" for line in node if _name(line) == "e")
    return f"<mtable>{rows}</mtable>"


def _before(node: Any) -> str:
    return f"<mmultiscripts>{_part(node, 'e')}<mprescripts/>{_part(node, 'sub')}{_part(node, 'sup')}</mmultiscripts>"


_STRUCTURES: Mapping[str, Callable[[Any], str]] = {
    "r": _run, "f": _fraction, "rad": _root, "nary": _large, "d": _fenced, "m": _table, "eqarr": _lines,
    "ssup": _of("msup", "e", "sup"), "ssub": _of("msub", "e", "sub"), "ssubsup": _of("msubsup", "e", "sub", "sup"),
    "spre": _before, "limlow": _of("munder", "e", "lim"), "limupp": _of("mover", "e", "lim"),
    "func": lambda node: f"<mrow>{_part(node, 'fname')}<mo>\u2061</mo>{_part(node, 'e')}</mrow>",
    "acc": _accent("^", "mover"), "bar": _accent("¯", "munder"), "groupchr": _accent("⏟", "munder"),
}
"""Element of OMML → what writes it."""
