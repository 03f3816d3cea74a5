"""Small packages: tensors, strokes, slashes, accents, mathematical boxes, what MathJax adds."""

from __future__ import annotations

COMMANDS: dict[str, dict[str, tuple[str, str]]] = {
    "cancel": {"cancelto": ("-o m m", r"\overset{#2}{\cancel{#3}}")},
    "slashed": {"slashed": ("m", r"\not{#1}")},
    "accents": {"accentset": ("m m", r"\overset{#1}{#2}")},
    "esdiff": {
        "diff": ("s o m g", r"\IfValueTF{#4}{\dv[#2]{#3}{#4}}{\mathrm{d}#3}"),
        "diffp": ("s o m g", r"\IfValueTF{#4}{\pdv[#2]{#3}{#4}}{\partial #3}"),
    },
    "derivative": {
        name: ("s o m", rf"{sign}\IfValueT{{#2}}{{^{{#2}}}}#3")
        for name, sign in {
            "odif": r"\mathrm{d}", "pdif": r"\partial ", "mdif": r"\mathrm{D}", "fdif": r"\delta ",
        }.items()
    },
    "units": {
        "unitfrac": ("o m m", r"\IfValueT{#1}{#1\,}\frac{\mathrm{#2}}{\mathrm{#3}}"),
    },
    "tikz": {
        "tikzmarknode": ("-o -m m", "#3"), "tikzmark": ("-o -m", ""), "tikznode": ("-o -m m", "#3"),
        "subnode": ("-o -m m", "#3"),
    },
    "mathjax": {
        "mathtip": ("m -m", "#1"), "texttip": ("m -m", "#1"),
        "toggle": (r"m -u{\endtoggle}", "#1"),
        "centerOver": ("m m", "#1#2"), "Rule": ("-m -m -m", ""),
        "Space": ("-m -m -m", ""), "mathlarger": ("m", "#1"), "mathsmaller": ("m", "#1"),
    },
}

HANDLED: dict[str, dict[str, tuple[str, str]]] = {
    "mathjax": {"mmlToken": ("m -o m", "token"), "enclose": ("m -o m", "enclosure")},
    "tensor": {"tensor": ("s o m m", "tensor"), "indices": ("s m", "indices")},
    "accents": {"underaccent": ("m m", "under_accent")},
    "units": {"units": ("o m", "unit_or_quantity")},
}

ENCLOSING_COMMANDS: dict[str, str] = {
    "radical": "\\sqrt", "top": "\\overline", "actuarial": "\\overline", "bottom": "\\underline",
    **dict.fromkeys(("box", "roundedbox", "circle"), "\\boxed"), "updiagonalstrike": "\\cancel",
    "downdiagonalstrike": "\\bcancel", "horizontalstrike": "\\sout",
}
"""Notation that ``\\enclose`` takes → the command that draws the same."""
