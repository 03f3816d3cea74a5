"""What a colour that was written is: names, mixtures of xcolor, numbers in a colour model, and those of CSS."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from colorsys import hsv_to_rgb

from porism.formula.tables.colours import COLOURS, MIXED_COLOURS, PRINTERS_COLOURS

_HEXADECIMAL = re.compile(r"#([0-9a-fA-F]{6}|[0-9a-fA-F]{3})")
_RGB = re.compile(r"rgb\(([^()]*)\)")
_NUMBER = re.compile(r"\d{0,9}\.?\d{1,9}|\d{1,9}\.")
_MAX_MIXED = 9
_WHITE = (255.0, 255.0, 255.0)


def colour_value(written: str, model: str = "", named: Mapping[str, str] | None = None) -> str:
    """The colour as ``#rrggbb``; an empty string where what is written is not a valid colour.

    ``model`` is one of LaTeX (``rgb``, ``HTML``…), and ``named`` has colours that a formula defines.
    """
    written = written.strip()
    if model and model != "named":
        return _in_model(written, model.strip())
    digits = _HEXADECIMAL.fullmatch(written)
    if digits is not None:
        return "#" + (digits[1] if len(digits[1]) == 6 else "".join(2 * digit for digit in digits[1])).lower()
    numbers = _RGB.fullmatch(written)
    if numbers is not None:
        return _in_model(numbers[1], "RGB")
    if "!" in written or written.startswith("-"):
        return _mixed(written, named or {})
    return (named or {}).get(written) or COLOURS.get(written.lower()) or PRINTERS_COLOURS.get(written, "")


def _in_model(written: str, model: str) -> str:
    if model == "HTML":
        return colour_value("#" + written) if len(written) == 6 else ""
    numbers = [float(part) for part in re.split(r"[\s,]+", written.strip()) if _NUMBER.fullmatch(part)]
    rgb: Sequence[float] = ()
    match model, numbers:
        case "rgb", [_, _, _]:
            rgb = numbers
        case "RGB", [_, _, _]:
            rgb = [number / 255 for number in numbers]
        case "gray", [grey]:
            rgb = (grey, grey, grey)
        case "cmy", [_, _, _]:
            rgb = [1 - number for number in numbers]
        case "cmyk", [*inks, black]:
            rgb = [1 - ink - black for ink in inks] if len(inks) == 3 else ()
        case ("hsb" | "Hsb"), [hue, saturation, brightness]:
            rgb = hsv_to_rgb(hue if model == "hsb" else hue / 360, min(1, saturation), min(1, brightness))
    return _hexadecimal([255 * part for part in rgb])


def _mixed(written: str, named: Mapping[str, str]) -> str:
    """``red!50!blue!20``, ``-red``: so many per cent of what is before, the rest of what follows, or of white."""
    first, *rest = written.removeprefix("-").split("!")[: 2 * _MAX_MIXED]
    colour = _parts(first, named)
    for share, other in zip(rest[::2], [*rest[1::2], "white"], strict=False):
        mixed_in = _parts(other, named)
        if not colour or not mixed_in or _NUMBER.fullmatch(share) is None:
            return ""
        weight = min(100.0, float(share)) / 100
        colour = [weight * part + (1 - weight) * added for part, added in zip(colour, mixed_in, strict=True)]
    if written.startswith("-"):
        colour = [full - part for full, part in zip(_WHITE, colour, strict=False)]
    return _hexadecimal(colour)


def _parts(name: str, named: Mapping[str, str]) -> Sequence[float]:
    value = named.get(name) or MIXED_COLOURS.get(name) or colour_value(name) if name.strip("-!") == name else ""
    return [int(value[i:i + 2], 16) for i in (1, 3, 5)] if value else ()


def _hexadecimal(parts: Sequence[float]) -> str:
    return "#" + "".join(f"{round(min(255.0, max(0.0, part))):02x}" for part in parts) if parts else ""
