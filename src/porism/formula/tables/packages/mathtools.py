"""Commands of mathtools whose arguments are more than mathematics in braces."""

from __future__ import annotations

COMMANDS: dict[str, tuple[str, str]] = {
    "smashoperator": ("-o m", "#2"), "splitfrac": ("m m", r"\begin{gathered}#1\\#2\end{gathered}"),
    "splitdfrac": ("m m", r"\begin{gathered}#1\\#2\end{gathered}"),
    "vdotswithin": ("-m", r"\vdots "), "shortvdotswithin": ("s -m", r"\vdots \\"),
    "ArrowBetweenLines": (r"s O{\Updownarrow}", r"#2\\"), "MoveEqLeft": ("-o", ""), "given": ("", r"\mid "),
    "vcentercolon": ("t=", r"\IfBooleanTF{#1}{\coloneqq }{:}"),
    "ordinarycolon": ("t=", r"\IfBooleanTF{#1}{\coloneqq }{:}"), "colonapprox": ("", r":\approx "),
    "Colonapprox": ("", r"\dblcolon\approx "), "colonsim": ("", r":\sim "), "Colonsim": ("", r"\dblcolon\sim "),
    "approxcolon": ("", r"\approx:"), "Approxcolon": ("", r"\approx\dblcolon "), "simcolon": ("", r"\sim:"),
    "Simcolon": ("", r"\sim\dblcolon "), "Eqcolon": ("", r"=\dblcolon "), "Eqqcolon": ("", r"=\dblcolon "),
    "colondash": ("", ":-"), "Colondash": ("", r"\dblcolon-"), "Dashcolon": ("", r"-\dblcolon "),
    "nuparrow": ("", r"\not\uparrow "), "ndownarrow": ("", r"\not\downarrow "),
    "mathmakebox": ("-o -o m", "#3"), "cramped": ("-o m", "{#2}"),
}

ENVIRONMENTS: dict[str, tuple[str, str, str]] = {
    "cases*": ("", r"\begin{cases}", r"\end{cases}"), "dcases*": ("", r"\begin{cases}", r"\end{cases}"),
    "rcases*": ("", r"\begin{rcases}", r"\end{rcases}"), "drcases*": ("", r"\begin{rcases}", r"\end{rcases}"),
    "spreadlines": ("-m", "", ""),
}
