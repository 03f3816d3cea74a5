"""Dirac's notation and sets: braket, and the commands of the same names of physics, told apart by their arguments."""

from __future__ import annotations

_KET_BRA = ("s -z m g", r"\left|#3\right\rangle\left\langle\IfNoValueTF{#4}{#3}{#4}\right|")
_INNER_PRODUCT = ("s -z m g", r"\left\langle #3\middle|\IfNoValueTF{#4}{#3}{#4}\right\rangle ")
_EXPECTATION = (
    "s s -z m g", r"\left\langle\IfNoValueTF{#5}{#4}{#5\middle|#4\middle|#5}\right\rangle "
)
_MATRIX_ELEMENT = ("s s -z m m m", r"\left\langle #4\middle|#5\middle|#6\right\rangle ")

COMMANDS: dict[str, tuple[str, str]] = {
    "ket": ("s -z m", r"\left|#3\right\rangle "), "Ket": ("m", r"\left|#1\right\rangle "),
    "bra": (
        r"s -z m t\ket s g",
        r"\IfBooleanTF{#4}{\IfValueTF{#6}{\left\langle #3\middle|#6\right\rangle }{\lx@braket{#3}}}"
        r"{\left\langle #3\right|\IfValueT{#6}{{#6}}}",
    ),
    "lx@braket": ("m m", r"\left\langle #1\middle|#2\right\rangle "),
    "Bra": ("m", r"\left\langle #1\right|"),
    "braket": ("s -z m g", r"\left\langle #3\IfValueT{#4}{\middle|#4}\right\rangle "),
    "innerproduct": _INNER_PRODUCT, "ip": _INNER_PRODUCT,
    "outerproduct": _KET_BRA, "dyad": _KET_BRA, "ketbra": _KET_BRA, "op": _KET_BRA, "Ketbra": _KET_BRA,
    "expectationvalue": _EXPECTATION, "expval": _EXPECTATION, "ev": _EXPECTATION,
    "matrixelement": _MATRIX_ELEMENT, "matrixel": _MATRIX_ELEMENT, "mel": _MATRIX_ELEMENT,
    "set": ("s -o -z m", r"\left\{#4\right\}"), "Set": ("s -o -z m", r"\left\{#4\right\}"),
}

HANDLED: dict[str, tuple[str, str]] = {"Braket": ("m", "braket_of_parts")}
