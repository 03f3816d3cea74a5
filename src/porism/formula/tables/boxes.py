"""Boxes of TeX: commands and environments whose content is text again, with formulas between dollars."""

from __future__ import annotations

BOXES: dict[str, str] = {
    "hbox": "s", "vbox": "s", "vtop": "s", "mbox": "", "makebox": "oo", "framebox": "oo", "fbox": "",
    "raisebox": "moo", "scalebox": "mo", "resizebox": "*mm", "rotatebox": "om", "reflectbox": "", "parbox": "ooom",
    "pbox": "om", "rlap": "", "llap": "", "clap": "", "shortstack": "o", "colorbox": "om",
    "fcolorbox": "omom", "adjustbox": "m", "tcbox": "o", "ovalbox": "", "shadowbox": "", "doublebox": "",
    "centerline": "", "leftline": "", "rightline": "", "makecell": "*o", "thead": "*o",
}
"""Command, without the backslash → its arguments before the content.

``m`` mandatory, ``o`` optional, ``*`` a star, ``s`` a size such as ``to 3cm``.
"""

TEXT_TABLES: dict[str, str] = {
    "tabular": "om", "tabular*": "mom", "tabularx": "mom", "tabulary": "mom", "longtable": "om",
}
"""Environments whose cells are text → their arguments."""

TEXT_ENVIRONMENTS: dict[str, str] = {
    "minipage": "ooom", "center": "", "flushleft": "", "flushright": "", "varwidth": "om", "adjustbox": "m",
    "tcolorbox": "o", "lrbox": "m", "footnotesize": "", "small": "",
}
"""Environments that are text as a whole → their arguments."""
