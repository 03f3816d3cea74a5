"""Commands whose arguments say nothing of what a formula says, each kind with its reason.

An entry is a command (without the backslash) and what belongs to it: ``*`` a star, ``o`` an option in brackets, ``m``
an argument in braces; ``d`` a bare dimension, ``f`` a fence, ``v`` a value that is assigned, ``s`` the size of a box
(``to 3cm``). An argument that is not in the entry is content and is read as such.
"""

from __future__ import annotations

from porism.formula.tables.boxes import BOXES
from porism.formula.tables.registers import ASSIGNMENTS

_KINDS: tuple[tuple[str, str], ...] = (
    ("space of some length", """
        hspace:*m vspace:*m mspace:m hskip:d mskip:d vskip:d kern:d mkern:d raise:d lower:d moveleft:d moveright:d
        rule:omm setlength:mm addtolength:mm strut mathstrut vadjust:m arraystretch
        hfilll uproot:m leftroot:m xmathstrut:om extracolsep:m pagebreak:o displaybreak:o allowdisplaybreaks:o
        minCDarrowheight:m minCDarrowwidth:m
    """),
    ("place, style and size of what comes after", """
        smash:o cancel:o bcancel:o xcancel:o mathllap:o mathrlap:o mathclap:o crampedllap:o crampedrlap:o
        crampedclap:o shoveleft:o shoveright:o cfrac:o sfrac:o nicefrac:o xfrac:o overbracket:oo underbracket:oo
    """),
    ("fences and thickness of a fraction", "above:d atopwithdelims:ff overwithdelims:ff abovewithdelims:ffd"),
    ("invisible: room as large as the argument", "phantom:m hphantom:m vphantom:m"),
    ("colours, sizes and rotation", """
        color:om textcolor:om pagecolor:om definecolor:mmm cellcolor:omoo rowcolor:omoo columncolor:omoo mathcolor:om
        colorlet:mm mathversion:m
    """),
    ("attributes of a web page, and where MathJax breaks it", """
        class:m cssId:m style:m href:m data:m bbox:o breakAlign:mm
    """),
    ("the number of an equation and what refers to it, which are not part of the equation", """
        label:m tag:*m notag nonumber ref:*m eqref:*m cref:*m Cref:*m autoref:*m pageref:*m cite:oom hypertarget:m
        hyperlink:m raisetag:m usetagform:m newtagform:momm renewtagform:momm refeq:m noeqref:m
    """),
    ("what goes to the index or the foot of the page", "index:m footnote:om footnotemark:o footnotetext:om"),
    ("rules and columns of tables, and columns that a cell spans", """
        cline:m cmidrule:om multicolumn:mm multirow:omm hdashline:o newcolumntype:mom
    """),
    ("packages and their settings", """
        usepackage:om require:om setOptions:om mathtoolsset:m sisetup:m mhchemoptions:m
    """),
)

LAYOUT_ARGUMENTS: dict[str, str] = {
    **BOXES,
    **{name: "v" for name, value in ASSIGNMENTS.items() if value in ("=d", "=n", "n")},
    **{
        name: arguments
        for _, entries in _KINDS
        for name, _, arguments in (entry.partition(":") for entry in entries.split())
    },
}
"""Command → its arguments that are layout."""

_STARRED = ("matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix", "smallmatrix", "psmallmatrix",
            "bsmallmatrix", "Bsmallmatrix", "vsmallmatrix", "Vsmallmatrix")
_NICE = ("NiceMatrix", "pNiceMatrix", "bNiceMatrix", "BNiceMatrix", "vNiceMatrix", "VNiceMatrix")

LAYOUT_ENVIRONMENTS: dict[str, str] = {
    "array": "om", "tabular": "om", "tabularx": "mm", "darray": "om", "alignat": "m", "alignedat": "om",
    "xalignat": "m", "xxalignat": "m", "subarray": "m", "crampedsubarray": "m", "IEEEeqnarray": "om",
    "IEEEeqnarraybox": "om", "aligned": "o", "gathered": "o", "multlined": "oo", "split": "o", "lgathered": "o",
    "rgathered": "o", "minipage": "oom", "indentalign": "ooom",
    "NiceArray": "mo", "pNiceArray": "mo", "bNiceArray": "mo",
    **dict.fromkeys((name + "*" for name in _STARRED), "o"), **dict.fromkeys(_NICE, "o"),
}
"""Environment → its arguments that are layout: columns, positions, widths."""
