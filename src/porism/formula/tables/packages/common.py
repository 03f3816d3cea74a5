"""Commands that many formulas use without defining them, and plain TeX's."""

from __future__ import annotations

_BLACKBOARD = {
    "R": "R", "N": "N", "Z": "Z", "Q": "Q", "C": "C", "RR": "R", "NN": "N", "ZZ": "Z", "QQ": "Q", "CC": "C", "F": "F",
    "FF": "F", "PP": "P", "E": "E", "Reals": "R", "reals": "R", "Complex": "C", "cnums": "C", "natnums": "N",
}

COMMANDS: dict[str, tuple[str, str]] = {
    **{name: ("", rf"\mathbb{{{letter}}}") for name, letter in _BLACKBOARD.items()},
    "Bbbk": ("", r"\mathbb{k}"), "half": ("", r"\frac{1}{2}"), "defeq": ("", r"\coloneqq "), "eps": ("", r"\epsilon "),
    "abs": ("s -o -z m", r"\left|#4\right|"), "norm": ("s -o -z m", r"\left\|#4\right\|"),
    "floor": ("s -o m", r"\left\lfloor #3\right\rfloor "), "ceil": ("s -o m", r"\left\lceil #3\right\rceil "),
    "lbinom": ("m m", r"\binom{#1}{#2}"), "qvar@": ("m", r"\qvar{#1}"),
    "stackbin": ("m m", r"\overset{#1}{#2}"),
    "buildrel": (r"u{\over} m", r"\overset{#1}{#2}"), "mathchoice": ("m -m -m -m", "#1"), "skew": ("-m m m", "#2{#3}"),
    "textsuperscript": ("m", r"^{\text{#1}}"), "textsubscript": ("m", r"_{\text{#1}}"),
}
