"""Proofs: the trees of bussproofs, ebproof, mathpartir and proof.sty, the lines of fitch, logicproof and lplfitch.

A rule is a fraction: its premises, side by side, over its conclusion. Its name is a script of the fraction. A line of
a natural deduction is a row of a table: its number, its formula, and its rule with what it refers to as text.
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
    "pline": ("o m o", "proof_line"),
}

_APPEARANCE = """
    noLine singleLine doubleLine dashedLine solidLine alwaysNoLine alwaysSingleLine alwaysDoubleLine alwaysDashedLine
    alwaysSolidLine rootAtTop rootAtBottom alwaysRootAtTop alwaysRootAtBottom fCenter
"""
COMMANDS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(_APPEARANCE.split(), ("", "")),
    "fitchprf": ("m m", r"\begin{matrix}#1\\#2\end{matrix}"),
    "fitchctx": ("m", r"\begin{matrix}#1\end{matrix}"),
    "boxedsubproof": ("-o m m", r"#2\\#3"),
}
ENVIRONMENTS: dict[str, tuple[str, str, str]] = {
    **dict.fromkeys(("nd", "ndresume"), ("-o", r"\begin{matrix}", r"\end{matrix}")),
    "logicproof": ("-m", r"\begin{matrix}", r"\end{matrix}"),
    "prooftree": ("", "", r"\DisplayProof "), "scprooftree": ("-m", "", r"\DisplayProof "),
}

DEDUCTIONS = frozenset({"nd", "ndresume", "logicproof"})
"""Environments of natural deductions, line by line."""
FITCH_RULES: dict[str, str] = {
    "\\r": "R", "\\ii": r"$\Rightarrow$I", "\\ie": r"$\Rightarrow$E", "\\ai": r"$\wedge$I", "\\ae": r"$\wedge$E",
    "\\oi": r"$\vee$I", "\\oe": r"$\vee$E", "\\ni": r"$\neg$I", "\\ne": r"$\neg$E", "\\be": r"$\bot$E",
    "\\nne": r"$\neg\neg$E", "\\Ai": r"$\forall$I", "\\Ae": r"$\forall$E", "\\Ei": r"$\exists$I",
    "\\Ee": r"$\exists$E",
}
"""Commands after a line of the package fitch → the name of the rule that each prints before its references."""
