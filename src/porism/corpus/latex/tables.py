"""What the commands and environments of LaTeX mean to a reader who wants text and formulas: data, no code."""

from __future__ import annotations

import unicodedata

from porism.formula.tables.packages.proofs import HANDLED as PROOF_COMMANDS

_NAMES = (
    "théorème lemme corollaire définition exemple contre-exemple remarque exercice problème propriété axiome "  # French
    "hypothèse notation rappel application affirmation conjecture énoncé scolie "
    "satz lemma hilfssatz korollar folgerung hauptsatz beispiel gegenbeispiel bemerkung anmerkung "  # German
    "aufgabe übung behauptung eigenschaft voraussetzung vermutung axiom bezeichnung "
    "teorema lema proposición corolario definición ejemplo observación comentario ejercicio problema "  # Spanish
    "propiedad hipótesis afirmación conjetura "
    "proposizione corollario definizione esempio osservazione esercizio proprietà congettura ipotesi "  # Italian
    "proposição corolário definição exemplo observação exercício propriedade "  # Portuguese
    "stelling gevolg definitie voorbeeld opmerking opgave eigenschap "  # Dutch
    "sats följdsats exempel anmärkning övning "  # Swedish
    "twierdzenie lemat wniosek definicja przykład uwaga zadanie "  # Polish
    "věta důsledek příklad poznámka cvičení "  # Czech
    "теорема лемма следствие определение пример замечание упражнение задача предложение утверждение"  # Russian
).split()

NATIVE_THEOREMS: dict[str, str] = {}
"""Name of an environment, with its accents or without → what stands at its head, in small letters."""
for _name in _NAMES:
    NATIVE_THEOREMS[_name] = _name
    _plain = "".join(char for char in unicodedata.normalize("NFD", _name) if not unicodedata.combining(char))
    NATIVE_THEOREMS.setdefault(_plain if _plain.isascii() else _name, _name)
NATIVE_THEOREMS |= {"uebung": "übung", "oevning": "övning", "teorema": "teorema"}

NATIVE_PROOFS = frozenset(
    "preuve démonstration demo beweis bew lösung loesung dimostrazione demostración demostracion prueba "
    "demonstração demonstracao bewijs bevis dowód dowod důkaz dukaz доказательство correction corrigé corrige "
    "indication indications soluzione solución solucion solução solucao".split()
)

NATIVE_UNPROVABLE = frozenset(
    "définition remarque axiome notation hypothèse rappel bemerkung anmerkung voraussetzung bezeichnung axiom "
    "definición observación comentario hipótesis definizione osservazione ipotesi definição observação definitie "
    "opmerking anmärkning definicja uwaga poznámka определение замечание".split()
)
"""What is not proved: a proof after it belongs to something before it."""


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


SECTION_LEVELS = {
    "part": -1, "addpart": -1, "chapter": 0, "addchap": 0, "section": 1, "addsec": 1, "subsection": 2,
    "subsubsection": 3,
}  # fmt: skip

THEOREMS = {
    "theorem": "theorem", "thm": "theorem", "theo": "theorem", "thrm": "theorem", "teo": "theorem",
    "lemma": "lemma", "lem": "lemma", "lemme": "lemma", "sublemma": "lemma",
    "proposition": "proposition", "prop": "proposition", "propn": "proposition", "prp": "proposition",
    "corollary": "corollary", "cor": "corollary", "coro": "corollary", "corol": "corollary", "crl": "corollary",
    "definition": "definition", "defn": "definition", "dfn": "definition", "defi": "definition", "df": "definition",
    "example": "example", "exa": "example", "exam": "example", "exmp": "example", "eg": "example", "xmpl": "example",
    "examples": "example", "counterexample": "counterexample",
    "exercise": "exercise", "exer": "exercise", "exc": "exercise", "xca": "exercise", "ex": "exercise",
    "problem": "problem", "prob": "problem", "question": "question", "ques": "question", "qn": "question",
    "remark": "remark", "rem": "remark", "rmk": "remark", "rk": "remark", "remarks": "remark", "note": "remark",
    "observation": "observation", "obs": "observation", "claim": "claim", "clm": "claim", "fact": "fact",
    "conjecture": "conjecture", "conj": "conjecture", "axiom": "axiom", "ax": "axiom", "postulate": "postulate",
    "assumption": "assumption", "assum": "assumption", "hypothesis": "hypothesis", "criterion": "criterion",
    "notation": "notation", "convention": "convention", "construction": "construction", "property": "property",
    "algorithm": "algorithm", "algo": "algorithm", "principle": "principle", "law": "law", "identity": "identity",
    "scholium": "scholium", "porism": "porism", "warning": "warning", "proclaim": "theorem",
}  # fmt: skip
THEOREMS = {**NATIVE_THEOREMS, **THEOREMS}
"""Environments that are theorem-like even where their declaration is not available → the type they stand for."""

PROOFS = words("proof pf prf proofof demonstration solution soln sol answer ans hint hints proofsketch") | NATIVE_PROOFS
UNPROVABLE = words(
    "definition remark notation convention warning axiom assumption observation postulate construction"
) | NATIVE_UNPROVABLE

MATH_ENVIRONMENTS = words(
    "math displaymath equation eqnarray align gather multline alignat flalign xalignat xxalignat dmath dgroup "
    "equation* eqnarray* align* gather* multline* alignat* flalign* xalignat* dmath* dgroup* IEEEeqnarray "
    "IEEEeqnarray* subequations-body mathpar mathpar* mathparpagebreakable prooftree "
    "prooftree* scprooftree numcases subnumcases tikzcd tikzcd* CD CD* diagram psmatrix empheq nd "
    "ndresume logicproof"
)
BARE_ENVIRONMENTS = words("math displaymath equation equation* dmath dmath* mathpar mathpar* mathparpagebreakable")
"""Of these only the content is kept; the others stay in the formula, because they say how its lines are set."""
AMS_TEX_ENVIRONMENTS = words(
    "align aligned alignat alignedat xalignat xxalignat gather gathered multline split cases matrix "
    "pmatrix bmatrix vmatrix Vmatrix smallmatrix"
)
"""Environments that AMS-TeX writes ``\\align … \\endalign``."""

DRAWINGS = words(
    "tikzpicture tikzpicture* pgfpicture picture asy asypicture pspicture chart codi circuitikz forest axis xy"
)
"""Environments that draw; of them the text says ``[diagram]``."""
SKIPPED_ENVIRONMENTS = DRAWINGS | words(
    "comment asydef filecontents filecontents* thebibliography luacode luacode* sagesilent pycode theindex titlepage"
)
STANDARD_ENVIRONMENTS = SKIPPED_ENVIRONMENTS | MATH_ENVIRONMENTS | words(
    "itemize enumerate description list trivlist tabular tabular* array quote quotation verse center flushleft "
    "flushright minipage figure figure* table table* tabbing document abstract verbatim verbatim* letter multicols "
    "frame"
)
"""Environments that projects and classes redefine in appearance only."""
VERBATIM_ENVIRONMENTS = words("verbatim verbatim* Verbatim lstlisting minted alltt sageblock code pyconsole BVerbatim")
LISTS = words(
    "itemize enumerate description inparaenum inparaitem compactitem compactenum asparaenum list trivlist "
    "tasks parts questions"
)
TABLES = {"tabular": "om", "tabular*": "mom", "tabularx": "mom", "longtable": "om", "array": "om", "tabulary": "mom"}
ENVIRONMENT_ARGUMENTS = {
    "minipage": "ooom", "multicols": "m", "figure": "o", "table": "o", "wrapfigure": "omom", "tcolorbox": "o",
    "mdframed": "o", "adjustwidth": "mm", "adjustbox": "m", "spacing": "m", "thebibliography": "m", "columns": "o",
    "column": "om", "block": "", "shaded": "", "framed": "", "multicols*": "m", "itemize": "o", "enumerate": "o",
    "description": "o", "list": "mm", "frame": "o", "subfigure": "om", "letter": "m",
    "inparaenum": "o", "parts": "o", "tasks": "oo", "overlayarea": "mm", "overprint": "o", "beamercolorbox": "om",
    "altenv": "mmmm", "onlyenv": "", "uncoverenv": "", "visibleenv": "", "invisibleenv": "", "alertenv": "",
}  # fmt: skip

SYMBOLS = {
    "\\ldots": "…", "\\dots": "…", "\\textellipsis": "…", "\\LaTeX": "LaTeX", "\\TeX": "TeX", "\\LaTeXe": "LaTeX",
    "\\S": "§", "\\P": "¶", "\\ss": "ß", "\\o": "ø", "\\O": "Ø", "\\ae": "æ", "\\AE": "Æ", "\\oe": "œ", "\\OE": "Œ",
    "\\aa": "å", "\\AA": "Å", "\\l": "ł", "\\L": "Ł", "\\i": "ı", "\\j": "ȷ", "\\dh": "ð", "\\th": "þ",
    "\\&": "&", "\\%": "%", "\\$": "$", "\\#": "#", "\\_": "_", "\\{": "{", "\\}": "}", "\\ ": " ", "\\\n": " ",
    "\\,": " ", "\\;": " ", "\\:": " ", "\\!": "", "\\/": "", "\\-": "", "\\@": "", "\\quad": " ", "\\qquad": " ",
    "\\enspace": " ", "\\thinspace": " ", "\\space": " ", "\\enskip": " ", "\\hfill": " ", "\\nobreakspace": " ",
    "\\textbackslash": "\\", "\\textasciitilde": "~", "\\textasciicircum": "^", "\\textunderscore": "_",
    "\\textbar": "|", "\\textless": "<", "\\textgreater": ">", "\\textquotedblleft": "“", "\\textquotedblright": "”",
    "\\textquoteleft": "‘", "\\textquoteright": "’", "\\textendash": "–", "\\textemdash": "—", "\\textbullet": "•",
    "\\lq": "‘", "\\rq": "’", "\\guillemotleft": "«", "\\guillemotright": "»", "\\og": "«", "\\fg": "»",
    "\\copyright": "©", "\\textregistered": "®", "\\texttrademark": "™", "\\textdegree": "°", "\\degree": "°",
    "\\pounds": "£", "\\euro": "€", "\\texteuro": "€", "\\dag": "†", "\\ddag": "‡", "\\slash": "/",
    "\\par": "\n\n", "\\newpage": "\n\n", "\\clearpage": "\n\n", "\\bigskip": "\n\n", "\\medskip": "\n\n",
    "\\smallskip": "\n\n", "\\newline": "\n", "\\linebreak": "\n", "\\cr": "\n", "\\tabularnewline": "\n",
    "\\and": ", ", "\\textperiodcentered": "·", "\\cdot": "·", "\\textasteriskcentered": "*", "\\checkmark": "✓",
    "\\ie": "i.e.", "\\eg": "e.g.", "\\ier": "er", "\\iere": "re", "\\iers": "ers", "\\ieres": "res", "\\ieme": "e",
    "\\iemes": "es", "\\no": "n°", "\\No": "N°", "\\nos": "nos", "\\degres": "°", "\\primo": "1°", "\\secundo": "2°",
    "\\tertio": "3°", "\\glqq": "„", "\\grqq": "“", "\\glq": "‚", "\\grq": "‘", "\\flqq": "«", "\\frqq": "»",
    "\\flq": "‹", "\\frq": "›", "\\quotedblbase": "„", "\\guillemetleft": "«", "\\guillemetright": "»",
}  # fmt: skip

DROPPED = {
    "vspace": "*m", "hspace": "*m", "setlength": "mm", "addtolength": "mm", "color": "om",
    "textcolor": "om", "colorbox": "om", "fcolorbox": "omm", "bibliographystyle": "m", "bibliography": "m",
    "thispagestyle": "m", "pagestyle": "m", "pagenumbering": "m", "setcounter": "mm", "addtocounter": "mm",
    "stepcounter": "m", "refstepcounter": "m", "newcounter": "mo", "addcontentsline": "mmm", "hypersetup": "m",
    "rule": "omm", "fontsize": "mm", "raisebox": "moo", "index": "om", "glsadd": "m", "hyphenation": "m",
    "phantomsection": "", "scalebox": "mo", "adjustbox": "m", "SelectTips": "mm",
    "resizebox": "*mm", "rotatebox": "om", "parbox": "ooom", "makebox": "oo",
    "framebox": "oo", "fbox": "", "nocite": "m", "addbibresource": "om", "printbibliography": "o",
    "usetikzlibrary": "m", "pushQED": "m", "popQED": "",
    "theoremstyle": "m", "newtheoremstyle": "mmmmmmmmm", "numberwithin": "omm", "counterwithin": "*mm",
    "allowdisplaybreaks": "o", "linespread": "m", "vphantom": "m", "hphantom": "m", "phantom": "m", "multicolumn": "mm",
    "multirow": "omom", "cline": "m", "cmidrule": "om", "pdfbookmark": "omm",
    "settowidth": "mm", "setbeamertemplate": "mo", "usetheme": "om", "definecolor": "mmm", "colorlet": "mm",
    "tikzset": "m", "pgfplotsset": "m", "lstset": "m", "captionsetup": "om", "geometry": "m", "markboth": "mm",
    "markright": "m", "pdfstringdefDisableCommands": "m", "tcbset": "m", "tcolorboxenvironment": "mm",
    "declaretheoremstyle": "om", "setlist": "om", "crefname": "mmm", "Crefname": "mmm", "AtBeginDocument": "m",
    "AtEndDocument": "m", "includepdf": "om", "todo": "om", "missingfigure": "om", "mathtoolsset": "m",
    "hangindent": "", "parskip": "", "animategraphics": "ommmm", "externaldocument": "om",
    "graphicspath": "m", "lstinputlisting": "om", "verbatiminput": "m", "inputminted": "omm",
    "usebox": "m", "savebox": "moom", "sbox": "mm", "setmainfont": "om", "ensurelanguage": "m",
    "addtokomafont": "mm", "setkomafont": "mm", "RedeclareSectionCommand": "om", "Opensolutionfile": "mo",
    "Closesolutionfile": "m", "PackageWarning": "mm", "PackageInfo": "mm",
    "PackageError": "mmm", "ClassWarning": "mm", "ClassInfo": "mm", "ClassError": "mmm", "typeout": "m", "message": "m",
    "Readsolutionfile": "m", "inputencoding": "m", "Writetofile": "mm",
    "Newassociation": "mmm", "prechili": "", "subject": "m", "institute": "om",
    "affil": "om", "thanks": "m", "address": "om", "email": "om", "keywords": "m", "subjclass": "om", "curraddr": "m",
    "setbeamercovered": "m", "setbeamerfont": "*mm", "setbeamercolor": "*mm", "setbeamersize": "m",
    "setbeameroption": "m", "addtobeamertemplate": "mmm", "defbeamertemplate": "*mmom", "usebeamertemplate": "*m",
    "usebeamerfont": "*m", "usebeamercolor": "om", "usecolortheme": "om", "usefonttheme": "om", "useinnertheme": "om",
    "useoutertheme": "om", "titlegraphic": "m", "logo": "m", "AtBeginSection": "om", "AtBeginSubsection": "om",
    "AtBeginPart": "m", "beamerdefaultoverlayspecification": "m", "includeonlyframes": "m", "hypertarget": "m",
    "column": "m", "againframe": "m", "tableofcontents": "o", "lecture": "omm", "sectionpage": "", "partpage": "",
    "urladdr": "m", "dedicatory": "m", "newblock": "", "subtitle": "om", "publishers": "m", "extratitle": "m",
}  # fmt: skip
"""Commands that are dropped together with these arguments; what follows is kept: m mandatory, o optional, * star."""

MATH_ARGUMENTS = {
    "frac": 2, "dfrac": 2, "tfrac": 2, "cfrac": 2, "binom": 2, "dbinom": 2, "tbinom": 2, "sqrt": 1, "overline": 1,
    "underline": 1, "hat": 1, "widehat": 1, "tilde": 1, "widetilde": 1, "bar": 1, "vec": 1, "dot": 1, "ddot": 1,
    "check": 1, "breve": 1, "acute": 1, "grave": 1, "mathring": 1, "overbrace": 1, "underbrace": 1,
    "overrightarrow": 1, "overleftarrow": 1, "overleftrightarrow": 1, "underrightarrow": 1, "overset": 2, "underset": 2,
    "stackrel": 2, "mathbb": 1, "mathcal": 1, "mathfrak": 1, "mathrm": 1, "mathbf": 1, "mathsf": 1, "mathscr": 1,
    "mathit": 1, "mathtt": 1, "mathds": 1, "bm": 1, "boldsymbol": 1, "pmb": 1, "operatorname": 1, "text": 1, "mbox": 1,
    "textbf": 1, "textit": 1, "textrm": 1, "substack": 1, "boxed": 1, "phantom": 1, "xrightarrow": 1, "xleftarrow": 1,
    "cancel": 1, "mathop": 1, "mathbin": 1, "mathrel": 1, "mathord": 1, "wideparen": 1, "overarc": 1, "sideset": 2,
}  # fmt: skip
"""Mathematical commands → how many arguments follow, so that an expansion that becomes one gets its braces."""

TEXT_IN_MATH = words(
    "\\text \\mbox \\hbox \\textrm \\textbf \\textit \\textsf \\texttt \\textnormal \\intertext \\shortintertext "
    "\\textsl \\textup \\fbox \\emph \\makebox \\textsc"
)
DROPPED_IN_MATH = {
    "nonumber": "", "notag": "", "qedhere": "", "pushQED": "m", "popQED": "", "displaybreak": "o", "vspace": "*m",
    "allowdisplaybreaks": "o",
    "hspace": "*m", "footnote": "om", "footnotemark": "o", "protect": "", "noindent": "",
    "centering": "", "rule": "omm", "index": "m", "hfill": "", "hfil": "", "hss": "", "todo": "om", "hidewidth": "",
    "setlength": "mm", "addtolength": "mm", "settowidth": "mm", "setcounter": "mm", "addtocounter": "mm",
    "stepcounter": "m", "refstepcounter": "m", "savebox": "moom", "sbox": "mm", "usebox": "m", "phantomsection": "",
    "offinterlineskip": "", "nointerlineskip": "",
    "uppercurveobject": "m", "lowercurveobject": "m", "curveobject": "m", "twocellhead": "m", "modmapobject": "m",
    "strut": "", "mathstrut": "", "nobreak": "", "smallskip": "", "medskip": "", "bigskip": "", "null": "",
    "insertBetweenHyps": "m", "kernHyps": "m", "bottomAlignProof": "", "centerAlignProof": "", "normalAlignProof": "",
    "PackageWarning": "mm", "PackageInfo": "mm", "typeout": "m", "message": "m", "reversemarginpar": "",
    "normalmarginpar": "", "marginpar": "om", "vphantom": "m", "multirow": "omom", "multicolumn": "mm", "cline": "m",
}  # fmt: skip

LABEL_WORDS = {
    "thm": "theorem", "lem": "lemma", "lemma": "lemma", "prop": "proposition", "cor": "corollary", "def": "definition",
    "defn": "definition", "ex": "example", "exer": "exercise", "prob": "problem", "rem": "remark", "rmk": "remark",
    "sec": "section", "ssec": "section", "subsec": "section", "ch": "chapter", "chap": "chapter", "part": "part",
    "fig": "figure", "tab": "table", "eq": "equation", "eqn": "equation", "conj": "conjecture", "app": "appendix",
    "alg": "algorithm", "claim": "claim", "exm": "example", "exr": "exercise", "tbl": "table", "fact": "fact",
    "section": "section", "subsection": "section", "chapter": "chapter", "equation": "equation", "figure": "figure",
    "table": "table", "appendix": "appendix", "item": "item", "situation": "situation",
}  # fmt: skip
"""What the prefix of a label (``thm:lagrange``) stands for."""

REFERRED_TO = frozenset(
    word + ending for ending in ("", "s", "es") for word in (
        *THEOREMS, *THEOREMS.values(), *LABEL_WORDS, *LABEL_WORDS.values(), "condition", "step", "case", "paragraph",
        "formula", "diagram", "page", "relation", "inequality", "statement", "assertion", "number", "sect",
    )
) | words("§ corollaries properties inequalities identities appendices hypotheses formulae lemmata")
"""Words after which a bare number in print says what it is the number of."""

REFERENCES = words(
    "\\ref \\eqref \\Cref \\cref \\autoref \\nameref \\pageref \\vref \\thref \\fref \\Fref \\labelcref \\crefrange "
    "\\Crefrange \\fullref \\Autoref \\hyperlink \\zcref \\cpageref"
)
NAMED_REFERENCES = words("\\Cref \\cref \\autoref \\Autoref \\vref \\thref \\fref \\Fref \\fullref \\zcref")
CITATIONS = words(
    "\\cite \\citep \\citet \\citealp \\citealt \\citeauthor \\citeyear \\parencite \\textcite \\autocite \\footcite "
    "\\Cite \\Citet \\Citep \\citeyearpar \\fullcite \\cites \\smartcite \\supercite"
)
PACKAGES = {
    "usepackage": ("", ".sty"), "RequirePackage": ("", ".sty"), "RequirePackageWithOptions": ("", ".sty"),
    "LoadClass": ("", ".cls"), "LoadClassWithOptions": ("", ".cls"), "usetheme": ("beamertheme", ".sty"),
    "usecolortheme": ("beamercolortheme", ".sty"), "useinnertheme": ("beamerinnertheme", ".sty"),
    "useoutertheme": ("beameroutertheme", ".sty"), "usefonttheme": ("beamerfonttheme", ".sty"),
}  # fmt: skip
"""Commands that load packages and their like → what goes before and after a name to make that of the file."""
CLASSES = {"documentclass": ("", ".cls"), "documentstyle": ("", ".sty")}
INCLUDES = PACKAGES.keys() | words("input include subfile subfileinclude includestandalone @input @@input")
"""Commands that read the files that their argument names."""
IMPORTS = words("import subimport inputfrom includefrom subinputfrom subincludefrom")
"""Commands that read a file in a folder, which are two arguments."""
KEPT_COMMANDS = words(
    "\\begin \\end \\section \\subsection \\subsubsection \\chapter \\part \\paragraph \\item \\label \\emph \\textbf "
    "\\textit \\texttt \\url \\href \\footnote \\caption \\ref \\eqref \\cite \\Cref \\cref \\autoref \\input "
    "\\include \\title \\author \\maketitle \\tableofcontents \\bibliography \\documentclass \\usepackage "
    "\\includegraphics \\par \\text \\mbox \\newcommand \\def \\thanks \\newtheorem \\qedhere \\left \\right "
    "\\subfile \\import \\tag \\notag \\nonumber"
) | {"\\" + name for name in PROOF_COMMANDS if len(name) > 3}
"""Commands that projects redefine in appearance only; short ones, such as ``\\LL``, they give meanings of their own."""
