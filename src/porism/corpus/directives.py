"""Directives of Sphinx and MyST by what their content is, and the languages of code in braces."""

from __future__ import annotations

from porism.corpus.latex.tables import words

DROPPED_DIRECTIVES = words(
    "toctree tableofcontents toc image include raw contents index meta highlight plot graphviz bibliography tikz "
    "digraph graph mermaid uml currentmodule module sectionauthor codeauthor date math-macro role default-role iframe "
    "embed video youtube inheritance-diagram autosummary"
)
"""Those without words of their own."""
BARE_DIRECTIVES = words(
    "figure only automodule autoclass autofunction automethod container rst-class class div tab-set grid grid-item "
    "csv-table list-table figure-md"
)
"""Those whose argument is not text."""
CODE_DIRECTIVES = words(
    "code code-block sourcecode literalinclude parsed-literal ipython sagelinks doctest testcode testoutput prompt "
    "code-tabs sage sagecell"
)
RST_DIRECTIVES = words("eval-rst eval_rst")
"""Those whose content is reStructuredText."""
CELL_DIRECTIVES = words("code-cell jupyter-execute")
"""Those whose content is run, as the cells of notebooks are."""
CODE_LANGUAGES = words(
    "r python python3 ipython ipython3 julia ojs sql bash sh shell stan rcpp c cpp fortran js javascript node perl "
    "ruby scala haskell ocaml octave matlab sage maxima mathematica sas stata css html asis comment cat dot mermaid "
    "tikz webr webr-r pyodide pyodide-python exec lean lean4 coq rust go"
)
"""What R Markdown and Quarto put first into the braces of a block of code."""
VERBATIM_DIRECTIVES = DROPPED_DIRECTIVES | CODE_DIRECTIVES | CELL_DIRECTIVES | RST_DIRECTIVES | {"math"}
"""Those whose content is not running text."""
