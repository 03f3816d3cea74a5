"""What Typst's functions, and those of its packages, mean to a reader who wants text and formulas: data, no code."""

from __future__ import annotations

from porism.corpus.latex.tables import words

CONSTRUCTORS = words(
    "thmbox thmplain thmenv thmproof thmdef thmrem mathblock proofblock make-frame new-theorem theorem-kind "
    "theorem-box thm-env environment theoremstyle new-theorem-environment"
)
"""Functions that make theorem-like functions, in ctheorems, great-theorems, theorion, lemmify and their like."""
TITLES = words("title name info note")
"""Names of the argument that is the title of a theorem."""
SKIPPED = words(
    "pagebreak colbreak v h line rect circle ellipse polygon curve path bibliography outline counter state metadata "
    "lorem here query locate numbering measure layout calc datetime rgb luma cmyk oklch color gradient pattern tiling "
    "stroke assert panic plugin read csv json toml yaml xml cbor sys version type repr eval range regex selector "
    "canvas cetz.canvas cetz-canvas diagram fletcher.diagram commutative-diagram lq.diagram place-diagram todo "
    "outline-entry style width height parbreak"
)
"""Functions whose contents are nothing of the text."""
FIGURES = words("image")
"""Functions that print a picture."""
TABLES = words("table grid tablex gridx tablem")
HEADERS = words("table.header table.footer grid.header grid.footer")
CELLS = words("table.cell grid.cell cell cellx")
LISTS = words("list enum terms list.item enum.item terms.item")
TEXT_FUNCTIONS = words(
    "text strong emph underline overline strike highlight smallcaps sub super upper lower raw heading title quote link "
    "smartquote par"
)
"""Functions whose strings are text."""
BLOCKS = words(
    "block align box pad columns quote stack grid table figure par rect center list enum terms place note remark"
)
"""Functions that begin a paragraph."""
ACCENTS = {
    "~": "tilde", "^": "hat", "->": "arrow", "<-": "arrow.l", "-": "macron", ".": "dot", "..": "dot.double",
    "arrow.r": "arrow", "macron": "overline", "`": "grave", "´": "acute",
}  # fmt: skip
"""Signs of accents → their functions, where the names are not the same."""
MODULES = ("math.", "sym.", "std.")
"""What may be before the names of Typst's own functions and symbols."""
