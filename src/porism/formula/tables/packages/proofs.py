"""Proof trees: bussproofs and ebproof, and the rules of mathpartir and proof.sty.

A rule is a fraction: its premises, side by side, over its conclusion. Its name is a script of the fraction.
"""

from __future__ import annotations

_RULES = {"UnaryInf": 1, "BinaryInf": 2, "TrinaryInf": 3, "QuaternaryInf": 4, "QuinaryInf": 5}
PREMISES: dict[str, int] = {
    **_RULES, **{name + "C": count for name, count in _RULES.items()}, "UIC": 1, "BIC": 2, "TIC": 3,
    "Deduce": 1, "DeduceC": 1,
}
"""Command of bussproofs → how many premises it takes off the stack."""

HANDLED: dict[str, tuple[str, str]] = {
    "AxiomC": ("m", "axiom"), "AXC": ("m", "axiom"), "Axiom": ("u{$} u{$}", "axiom"),
    **{name: ("m" if name[-1] == "C" else "u{$} u{$}", "inference") for name in PREMISES},
    "RightLabel": ("m", "right_label"), "RL": ("m", "right_label"), "LeftLabel": ("m", "left_label"),
    "LL": ("m", "left_label"), "DisplayProof": ("", "proof"), "DP": ("", "proof"),
    "inferrule": ("s o m m", "rule"),
    "infer": ("s o t0 t1 t2 t3 t4 t5 t6 t7 t8 t9 o m g", "rule_from_below"), "hypo": ("s o m", "hypothesis"),
}

_APPEARANCE = """
    noLine singleLine doubleLine dashedLine solidLine alwaysNoLine alwaysSingleLine alwaysDoubleLine alwaysDashedLine
    alwaysSolidLine rootAtTop rootAtBottom alwaysRootAtTop alwaysRootAtBottom fCenter
"""
COMMANDS: dict[str, tuple[str, str]] = dict.fromkeys(_APPEARANCE.split(), ("", ""))
ENVIRONMENTS: dict[str, tuple[str, str, str]] = {
    "prooftree": ("", "", r"\DisplayProof "), "scprooftree": ("-m", "", r"\DisplayProof "),
}
