"""TeX's own variables and what an assignment to them looks like: such assignments are not part of a text or formula."""

from __future__ import annotations

_DIMENSIONS = """
    abovecaptionskip abovedisplayshortskip abovedisplayskip arraycolsep arrayrulewidth baselineskip belowcaptionskip
    belowdisplayshortskip belowdisplayskip bigskipamount boxmaxdepth columnsep columnseprule columnwidth
    delimitershortfall displayindent displaywidth doublerulesep emergencystretch evensidemargin fboxrule fboxsep
    floatsep footnotesep footskip hangindent headheight headsep hfuzz hoffset hsize intextsep itemindent itemsep jot
    labelsep labelwidth leftmargin leftskip linewidth lineskip lineskiplimit listparindent marginparsep marginparwidth
    mathindent mathsurround maxdepth medmuskip medskipamount multlinegap normalbaselineskip nulldelimiterspace
    oddsidemargin overfullrule paperheight paperwidth parfillskip parindent parsep parskip partopsep predisplaysize
    rightmargin rightskip scriptspace smallskipamount spaceskip splittopskip tabcolsep tabskip textfloatsep textheight
    textwidth thickmuskip thinmuskip topmargin topsep topskip unitlength vfuzz voffset vsize xspaceskip
"""
_INTEGERS = """
    adjdemerits binoppenalty brokenpenalty clubpenalty defaulthyphenchar delimiterfactor displaywidowpenalty
    doublehyphendemerits endlinechar errorcontextlines escapechar exhyphenpenalty fam finalhyphendemerits hangafter
    hbadness hyphenpenalty interdisplaylinepenalty interfootnotelinepenalty interlinepenalty language lefthyphenmin
    linepenalty looseness mag magnification newlinechar pageno postdisplaypenalty predisplaydirection
    predisplaypenalty pretolerance relpenalty righthyphenmin showboxbreadth showboxdepth tolerance uchyph vbadness
    widowpenalty
"""
_TOKEN_LISTS = "everycr everydisplay everyhbox everymath everypar everyvbox footline headline output"

ASSIGNMENTS: dict[str, str] = {
    **dict.fromkeys(_DIMENSIONS.split(), "=d"), **dict.fromkeys(_INTEGERS.split(), "=n"),
    **dict.fromkeys(_TOKEN_LISTS.split(), "=g"),
    "kern": "d", "mkern": "d", "hskip": "d", "vskip": "d", "mskip": "d", "raise": "d", "lower": "d", "moveleft": "d",
    "moveright": "d", "penalty": "n", "vadjust": "g",
    "count": "n=n", "dimen": "n=d", "skip": "n=d", "muskip": "n=d", "toks": "n=g", "wd": "n=d", "ht": "n=d",
    "dp": "n=d", "catcode": "n=n", "mathcode": "n=n", "lccode": "n=n", "uccode": "n=n", "sfcode": "n=n",
    "delcode": "n=n", "textfont": "n=c", "scriptfont": "n=c", "scriptscriptfont": "n=c", "fontdimen": "nc=d",
    "advance": "rba", "multiply": "rbn", "divide": "rbn", "setbox": "n=x", "chardef": "c=n",
    "mathchardef": "c=n", "countdef": "c=n", "dimendef": "c=n", "skipdef": "c=n", "toksdef": "c=n",
    "box": "n", "copy": "n", "unhbox": "n", "unhcopy": "n", "unvbox": "n", "unvcopy": "n", "the": "c", "number": "n",
    "magstep": "n", "font": "s=f", "newfam": "c", "newbox": "c", "newread": "c", "newwrite": "c", "newinsert": "c",
    "newsavebox": "c", "write": "ng", "openout": "n=f", "closeout": "n", "openin": "n=f", "closein": "n",
    "entrymodifiers": "=g", "everyentry": "=g",
    "skewchar": "c=n", "hyphenchar": "c=n", "special": "g", "message": "g", "typeout": "g", "wlog": "g",
}  # fmt: skip
"""Command, without the backslash → what follows it.

``=`` an equals sign that may be left out, ``b`` the word *by* that may be left out, ``d`` a dimension with what it may
stretch and shrink, ``n`` a number or a variable, ``a`` either, ``c`` a control sequence, ``s`` one that then switches
to a font and prints nothing, ``r`` a
variable, ``g`` a group, ``x`` a box with its content, ``f`` the
name of a file or font and its size.
"""
