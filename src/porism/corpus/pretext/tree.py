"""The XML of a file as a tree: no entity is expanded, nothing is loaded, and broken places lose only themselves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any

from lxml import etree

from porism.errors import OnProblem, Problem

MAX_REPORTED = 5
"""So many of the errors in the XML of one file are named."""
XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
XML_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
INCLUDE = "{http://www.w3.org/2001/XInclude}include"

_SIGNS = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|(<)(?![A-Za-z_/!?])|&([A-Za-z][\w.-]{0,60};)"
    rb"|(&)(?!#\d{1,7};|#x[0-9A-Fa-f]{1,6};)",
    re.DOTALL,
)
"""Signs that begin no tag and no character reference, names of entities, and what has such signs by right."""


def parse_xml(data: bytes, name: str, encoding: str | None, on_problem: OnProblem) -> Any:
    """The first element of a file; None, and a problem, where it has none.

    Entities of HTML are characters; others keep the name that the file has, and stray signs stay.
    """
    root, errors = _parsed(_SIGNS.sub(_as_characters, data), encoding)
    for line, message in errors[:MAX_REPORTED]:
        on_problem(Problem(f"{name}:{line}", f"broken XML ({message})"))
    if len(errors) > MAX_REPORTED:
        on_problem(Problem(name, f"{len(errors) - MAX_REPORTED:,} more places of broken XML"))
    return root


def _parsed(data: bytes, encoding: str | None) -> tuple[Any, list[tuple[int, str]]]:
    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True,
        encoding=encoding,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        return None, [(error.lineno or 1, str(error.msg or error).partition(", line ")[0])]
    return root, [(entry.line, entry.message.strip()) for entry in parser.error_log]


def _as_characters(match: re.Match[bytes]) -> bytes:
    """References by numbers, which the parser keeps also where a file is broken."""
    less, entity, ampersand = match.groups()
    if entity is not None:
        characters = unescape(f"&{entity.decode('utf-8', 'replace')}")
    else:
        characters = "<" if less else "&" if ampersand else ""
    return "".join(f"&#{ord(char)};" for char in characters).encode() or match.group()


def tag_of(node: Any) -> str:
    """The name of an element without its namespace, except that of XInclude; empty for what is no element."""
    tag = node.tag
    if not isinstance(tag, str):
        return ""
    return tag if tag == INCLUDE else tag.rpartition("}")[2]


def id_of(node: Any) -> str | None:
    """The identifier of an element, if it has one."""
    return node.get(XML_ID) or node.get("label") or None


def child_of(node: Any, name: str) -> Any:
    """The first child of this name, or None."""
    return next((child for child in node if tag_of(child) == name), None)


def visit(top: Any, enter: Callable[[Any, str], Any], leave: Callable[[Any, str], None],
          text: Callable[[str, Any], None]) -> None:
    """Visits what is in an element, in order, without recursion.

    :param enter: gets each element and its name; gives it where its content is to be visited, a list of elements that
        are to be visited in its place, or None.
    :param leave: gets an element that was entered, after its content.
    :param text: gets each text, and the element that it is in.
    """
    stack: list[tuple[Any, Iterator[Any]]] = [(top, iter(top))]
    text(top.text or "", top)
    while stack:
        node, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            if stack:
                leave(node, tag_of(node))
                text(node.tail or "", stack[-1][0])
            continue
        name = tag_of(child)
        entered = enter(child, name) if name else None
        if entered is None:
            text(child.tail or "", node)
            continue
        if entered is child:
            text(child.text or "", child)
        stack.append((child, iter(entered)))
