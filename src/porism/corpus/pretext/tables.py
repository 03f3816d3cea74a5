"""What the elements of PreTeXt mean to a reader who wants text and formulas: data, no code."""

from __future__ import annotations

from porism.corpus.latex.tables import THEOREMS, words

WHOLES = words("book article letter memo slideshow")
"""Elements whose title is that of the whole."""

DIVISIONS = words(
    "part chapter section subsection subsubsection paragraphs appendix preface foreword acknowledgement dedication "
    "biography colophon exercises subexercises exercisegroup reading-questions worksheet handout references glossary "
    "solutions objectives outcomes slide frontmatter backmatter introduction conclusion index"
)
"""Elements that are documents of their own where they have a heading."""
HEADED = words(
    "exercises reading-questions worksheet handout references glossary solutions preface foreword acknowledgement "
    "appendix objectives outcomes"
)
"""Those of them that have a heading even where they have no title."""

_BLOCKS = words(
    "theorem lemma corollary proposition claim fact identity algorithm definition axiom conjecture principle heuristic "
    "hypothesis assumption remark convention note observation warning insight computation technology example question "
    "problem exercise activity exploration project investigation task openproblem openquestion openconjecture "
    "inlineexercise abstract"
)
KINDS = {name: THEOREMS.get(name, name) for name in _BLOCKS} | {
    "inlineexercise": "exercise", "openproblem": "problem", "openquestion": "question", "openconjecture": "conjecture",
}  # fmt: skip
"""Theorem-like elements → the kind of document that they are."""

PROOFS = words("proof argument justification reasoning explanation solution answer hint")
"""Elements whose content is the proof of what is around or before them."""
NAMED_PROOFS = words("answer hint")
"""Those of them that say what they are."""

SKIPPED = words(
    "docinfo latex-image latex-image-code sageplot asymptote prefigure mermaid sage setup pg-macros pg-code notation "
    "bibinfo titlepage author editor index-list notation-list list-of biblio blurb shorttitle plaintitle description "
    "shortdescription instructor interactive video audio score geogebra cardsort static-image solutions-list "
    "idx-see titlepage-items docs"
)
"""Elements without text or formulas of the book."""

PARAGRAPHS = words(
    "p caption cline pre cd program console input output code tabular figure table sidebyside image assemblage aside "
    "blockquote statement case ol ul dl list listing poem stanza subtitle"
)
"""Elements that begin a paragraph."""
LINES = words("row line cline")
"""Elements that begin a line."""
VERBATIM = words("pre cd program console input output code cline c")
"""Elements whose white space is theirs."""
INLINE = VERBATIM | words(
    "p title caption cell line h idx main sub q sq em term alert foreign pubtitle articletitle url xref fn intertext "
    "li m me men md mdn mrow init delete insert stale abbr acro subtitle dataurl"
)
"""Elements in which a blank is a blank; between others it is only the layout of the file."""

CHARACTERS = {
    "nbsp": "\u00a0", "ndash": "–", "mdash": "—", "ellipsis": "…", "times": "×", "degree": "°", "percent": "%",
    "dollar": "$", "ampersand": "&", "less": "<", "greater": ">", "hash": "#", "tilde": "~", "backslash": "\\",
    "lbrace": "{", "rbrace": "}", "lbracket": "[", "rbracket": "]", "underscore": "_", "asterisk": "*", "midpoint": "·",
    "copyright": "©", "registered": "®", "trademark": "™", "section-mark": "§", "pilcrow": "¶", "prime": "′",
    "dblprime": "″", "minus": "−", "obelus": "÷", "solidus": "/", "plusminus": "±", "permille": "‰", "swungdash": "⁓",
    "latex": "LaTeX", "tex": "TeX", "pretext": "PreTeXt", "webwork": "WeBWorK", "xetex": "XeTeX", "xelatex": "XeLaTeX",
    "pdflatex": "pdfLaTeX", "pdftex": "pdfTeX", "eg": "e.g.", "ie": "i.e.", "etc": "etc.", "cf": "cf.", "vs": "vs.",
    "nb": "N.B.", "ad": "AD", "bc": "BC", "am": "a.m.", "pm": "p.m.", "fillin": "____", "br": "\n",
}  # fmt: skip
"""Empty elements → what they print."""
QUOTES = {"q": "“”", "sq": "‘’", "fn": "()"}
"""Elements → what is printed around their content."""

FORMULAS = words("m me men md mdn")
MANIFESTS = words("publication targets pretext-project")
"""Elements at the top of files that only say how a book is made."""

OWN_TOPS = words("pretext mathbook docinfo exercises exercisegroup reading-questions solutions worksheet")
"""The first elements of files that no other format of XML has."""
TOPS = WHOLES | DIVISIONS | KINDS.keys() | PROOFS | OWN_TOPS | words("p figure table assemblage aside")
"""The first elements of files that are books or parts of books."""

REFERENCE_NAMES = {"men": "equation", "me": "equation", "md": "equation", "mdn": "equation", "mrow": "equation",
                   "li": "item", "p": "paragraph", "fn": "footnote", "biblio": "reference"}  # fmt: skip
"""Elements → how a reference calls them, where not by their own names."""
