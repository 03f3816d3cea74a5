"""From a figure to SVG: text stays text, colours become CSS variables, ids are unique, and few bytes say it all.

What matplotlib writes is drawn once, without the pass that measures for a layout, and then made smaller. Coordinates
get the digits that a screen can show, lines of a path are relative, and marks of one look share one style; groups and
ids that nothing refers to go.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

from porism.extras import need
from porism.lab.reports.canvas import Plot, drawing, printable
from porism.lab.reports.theme import COLOURS, css_overrides

_SVG = "{http://www.w3.org/2000/svg}"
_XLINK = "{http://www.w3.org/1999/xlink}href"
_FONT = re.compile(r"font: (?:[a-z]+ )*?((?:bold |[1-9]00 )?)([\d.]+)px [^;]*")
_FAMILY = re.compile(r"font-family: [^;]*(?:; )?")
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_TOKEN = re.compile(r"[A-Za-z]|-?\d[\d.]*(?:e[-+]?\d+)?")
_NO_TURN = re.compile(r"rotate\(-?0 [^)]*\)")
_NAME_OF = {pair[0]: name for name, pair in COLOURS.items()}


def svg(plot: Plot, *, standalone: bool = False, styles: bool = True) -> str:
    """The plot as an SVG element with title and description.

    Inlined into a page, colours are the page's CSS variables and ids start with the plot's name. ``standalone`` gives
    a file of its own, with an XML declaration and concrete colours that a dark screen overrides. Without ``styles`` an
    inlined plot has presentation attributes in place of ``style``, for pages whose Content-Security-Policy forbids it.
    """
    from lxml import etree

    parser = etree.XMLParser(
        load_dtd=False, no_network=True, resolve_entities=False, remove_comments=True, remove_blank_text=True
    )
    root = etree.fromstring(_drawn(plot), parser)
    for element in [*root.iter(f"{_SVG}metadata"), *root.iter(f"{_SVG}style")]:
        element.getparent().remove(element)
    _rename(root, f"{plot.name}-")
    colour = (lambda match: match[0]) if standalone else (lambda match: _variable(match[0]))
    marks = {shape for part in root.iter(f"{_SVG}defs") for shape in part}
    for element in list(root.iter()):
        _rewrite(element, colour, 2 if element in marks else 1)
    _thin_out(root)
    width, height = (float(number) for number in root.get("viewBox").split()[2:])
    root.set("width", f"{width * 4 / 3:.0f}")
    root.set("height", f"{height * 4 / 3:.0f}")
    for name in ("version", "style"):
        root.attrib.pop(name, None)
    root.set("stroke-linejoin", "round")
    root.set("stroke-linecap", "butt")
    root.set("role", "img")
    root.set("aria-labelledby", f"{plot.name}-title {plot.name}-desc")
    for position, (tag, words) in enumerate((("title", plot.title), ("desc", plot.description))):
        element = etree.Element(f"{_SVG}{tag}", id=f"{plot.name}-{tag}")
        element.text = printable(words)
        root.insert(position, element)
    if standalone:
        root.set("font-family", "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif")
        sheet = etree.Element(f"{_SVG}style")
        sheet.text = css_overrides()
        root.insert(2, sheet)
    if not styles:
        for element in root.iter():
            for look in filter(None, map(str.strip, (element.attrib.pop("style", None) or "").split(";"))):
                name, _, value = look.partition(":")
                element.set(name.strip(), value.strip())
    etree.cleanup_namespaces(root)
    text: str = etree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n' if standalone else text


def _drawn(plot: Plot) -> bytes:
    """The figure as matplotlib writes it; ``savefig`` would draw twice where there is a layout."""
    matplotlib = need("matplotlib", "lab", "drawing plots")
    backend = need("matplotlib.backends.backend_svg", "lab", "drawing plots")
    figure: Any = plot.figure
    canvas = figure.canvas
    if not isinstance(canvas, backend.FigureCanvasSVG):
        canvas = backend.FigureCanvasSVG(figure)
    buffer = io.BytesIO()
    resolution = figure.dpi
    with drawing():
        matplotlib.rcParams["svg.hashsalt"] = plot.name  # else ids come from a random number
        try:
            canvas.print_svg(buffer, metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
        finally:
            figure.dpi = resolution
    return buffer.getvalue()


def _rename(root: Any, prefix: str) -> None:
    """Ids that something refers to become the prefix and a number, all others go."""
    clipped = [element for element in root.iter() if element.get("clip-path")]
    used = [element for element in root.iter() if element.get(_XLINK)]
    wanted = {element.get("clip-path")[5:-1] for element in clipped} | {element.get(_XLINK)[1:] for element in used}
    names: dict[str, str] = {}
    for element in root.iter():
        if (own := element.attrib.pop("id", None)) in wanted:
            names[own] = f"{prefix}{len(names) + 1}"
            element.set("id", names[own])
    for element in clipped:
        element.set("clip-path", f"url(#{names[element.get('clip-path')[5:-1]]})")
    for element in used:
        element.set("href", f"#{names[element.attrib.pop(_XLINK)[1:]]}")


def _rewrite(element: Any, colour: Callable[[re.Match[str]], str], digits: int) -> None:
    """Numbers get shorter, fonts are inherited, colours are replaced."""
    if (path := element.get("d")) is not None:
        element.set("d", short_path(path, 2 if "z" in path else digits))  # narrow bars show a hundredth
    for name in ("x", "y", "width", "height"):
        if (numbers := element.get(name)) is not None:
            element.set(name, _LONG_NUMBER.sub(lambda match: _short(float(match[0]), 1), numbers))
    if (turned := element.attrib.pop("transform", None)) is not None and (turned := _NO_TURN.sub("", turned)):
        element.set("transform", _LONG_NUMBER.sub(lambda match: _short(float(match[0]), 2), turned))
    if (look := element.get("style")) is not None:
        look = _FONT.sub(lambda match: f"font-size: {match[2]}px{'; font-weight: bold' if match[1] else ''}", look)
        element.set("style", _COLOUR.sub(colour, _FAMILY.sub("", look)))


def _thin_out(root: Any) -> None:
    """Drops shapes that nothing is seen of, gives marks of one look one style, and opens groups that say nothing."""
    for shape in [shape for shape in root.iter(f"{_SVG}path") if shape.get("style") == "fill: none"]:
        if shape.getparent().tag != f"{_SVG}defs":
            shape.getparent().remove(shape)
    for group in list(root.iter(f"{_SVG}g"))[::-1]:  # from the inside
        svg_styles = {child.get("style") if child.tag == f"{_SVG}use" else None for child in group}
        if len(group) > 1 and len(svg_styles) == 1 and None not in svg_styles and group.get("style") is None:
            group.set("style", svg_styles.pop())
            for child in group:
                del child.attrib["style"]
        if group.attrib and len(group):
            continue
        parent = group.getparent()
        place = parent.index(group)
        parent[place : place + 1] = list(group)


def short_path(path: str, digits: int) -> str:
    """The ``d`` of a path of absolute commands with so many digits behind the point, its lines relative.

    Points are rounded before their differences are taken, so that no error adds up.
    """
    scale = 10**digits
    tokens = _TOKEN.findall(path)
    commands: list[str] = []
    at = 0
    command = ""
    x = y = first_x = first_y = 0
    while at < len(tokens):
        if tokens[at].isalpha():
            command = tokens[at]
            at += 1
            if command in "zZ":
                commands.append("z")
                x, y = first_x, first_y
                continue
        count = {"M": 2, "L": 2, "Q": 4, "C": 6}[command]
        points = [round(float(token) * scale) for token in tokens[at : at + count]]
        at += count
        across, up = points[-2] - x, points[-1] - y
        if command != "L":
            commands.append(command + _joined(points, scale))
        elif across and up:
            commands.append("l" + _joined((across, up), scale))
        elif up:
            commands.append("v" + _joined((up,), scale))
        elif across or commands[-1][0] == "M":  # a line of no length is a dot where its ends are round
            commands.append("h" + _joined((across,), scale))
        x, y = points[-2:]
        if command == "M":
            first_x, first_y = x, y
    return "".join(commands)


def _joined(numbers: Any, scale: int) -> str:
    texts = [_plain(number, scale) for number in numbers]
    return texts[0] + "".join(text if text[0] == "-" else f" {text}" for text in texts[1:])


def _plain(number: int, scale: int) -> str:
    whole, part = divmod(abs(number), scale)
    rest = f"{part + scale}"[1:].rstrip("0")
    text = f"{whole or ''}.{rest}" if rest else f"{whole}"
    return f"-{text}" if number < 0 else text


def _short(number: float, digits: int) -> str:
    return _plain(round(number * 10**digits), 10**digits)


def _variable(colour: str) -> str:
    return f"var(--{_NAME_OF[colour]})" if colour in _NAME_OF else colour
