"""Commands of amsmath and its kin whose arguments are more than mathematics in braces."""

from __future__ import annotations

COMMANDS: dict[str, tuple[str, str]] = {
    "pod": ("m", "(#1)"), "idotsint": ("", r"{\int\dots\int}"),
    "intertext": ("m", r"\text{#1}\\"), "shortintertext": ("m", r"\text{#1}\\"), "Aboxed": ("m", "#1"),
    "overunderset": ("m m m", r"\overset{#1}{\underset{#2}{#3}}"), "sqrtsign": ("m", r"\sqrt{#1}"),
    "underoverset": ("m m m", r"\underset{#1}{\overset{#2}{#3}}"),
}

HANDLED: dict[str, tuple[str, str]] = {
    "empheqleft": ("m", "content_of_option"), "empheqright": ("m", "content_of_option"),
    "cases": ("m", "plain_cases"), "eqalignno": ("m", "numbered_lines"), "leqalignno": ("m", "numbered_lines"),
    "genfrac": ("m m m -m m m", "general_fraction"), "hdotsfor": ("s -o m", "dots_in_columns"),
}

ENVIRONMENTS: dict[str, tuple[str, str, str]] = {
    "numcases": ("m", r"#1\begin{cases}", r"\end{cases}"), "subnumcases": ("m", r"#1\begin{cases}", r"\end{cases}"),
    "empheq": ("o m", r"\empheqleft{#1}\begin{#2}", r"\end{#2}\empheqright{#1}"),
}
"""Those of cases and empheq too; ``\\empheqleft`` and ``\\empheqright`` are what its options set beside the lines."""
