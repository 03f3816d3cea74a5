"""AMS-TeX and its style amsppt: what their commands mean, as definitions in TeX."""

from __future__ import annotations

from porism.corpus.latex.tables import AMS_TEX_ENVIRONMENTS

FORMATS = frozenset(("amstex", "amsppt", "amsppt1", "amsppt.sty", "amstex.tex", "amsppt1.tex"))
"""Files that a source loads where it is written in AMS-TeX."""

ENVIRONMENTS = {name: (f"\\begin{{{name}}}", f"\\end{{{name}}}") for name in AMS_TEX_ENVIRONMENTS} | {
    "topaligned": ("\\begin{aligned}", "\\end{aligned}"), "botaligned": ("\\begin{aligned}", "\\end{aligned}"),
    "Sb": ("_{\\begin{subarray}{c}", "\\end{subarray}}"), "Sp": ("^{\\begin{subarray}{c}", "\\end{subarray}}"),
}
"""What AMS-TeX writes ``\\align … \\endalign`` → how LaTeX begins and ends it."""

DEFINITIONS = r"""
\def\overset#1\to#2{\stackrel{#1}{#2}}\def\underset#1\to#2{\underset{#1}{#2}}
\def\oversetbrace#1\to#2{\overbrace{#2}^{#1}}\def\undersetbrace#1\to#2{\underbrace{#2}_{#1}}
\def\goth#1{\mathfrak{#1}}\def\roman#1{\mathrm{#1}}\def\italic#1{\mathit{#1}}\def\slanted#1{\mathit{#1}}
\def\boldkey#1{\mathbf{#1}}\def\tsize{\textstyle}\def\dsize{\displaystyle}\def\ssize{\scriptstyle}
\def\sssize{\scriptscriptstyle}\def\thetag#1{\text{(#1)}}\def\foldedtext#1{\text{#1}}
\def\thickfrac{\frac}\def\thickness#1{}\def\spreadlines#1{}\def\spreadmatrixlines#1{}\def\format#1\\{}
\long\def\comment#1\endcomment{}\long\def\Refs#1\endRefs{}\long\def\toc#1\endtoc{}
\def\leftheadtext#1{}\def\rightheadtext#1{}
"""
