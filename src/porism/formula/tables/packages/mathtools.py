"""Commands of mathtools whose arguments are more than mathematics in braces."""

from __future__ import annotations

COMMANDS: dict[str, tuple[str, str]] = {
    "smashoperator": ("-o m", "#2"), "splitfrac": ("m m", "#1#2"), "splitdfrac": ("m m", "#1#2"),
    "vdotswithin": ("-m", r"\vdots "), "shortvdotswithin": ("s -m", r"\vdots \\"),
    "ArrowBetweenLines": (r"s O{\Updownarrow}", r"#2\\"), "MoveEqLeft": ("-o", ""), "given": ("", r"\mid "),
    "mathmakebox": ("-o -o m", "#3"), "cramped": ("-o m", "{#2}"),
}

ENVIRONMENTS: dict[str, tuple[str, str, str]] = {
    "cases*": ("", r"\begin{cases}", r"\end{cases}"), "dcases*": ("", r"\begin{cases}", r"\end{cases}"),
    "rcases*": ("", r"\begin{rcases}", r"\end{rcases}"), "drcases*": ("", r"\begin{rcases}", r"\end{rcases}"),
    "spreadlines": ("-m", "", ""),
}
