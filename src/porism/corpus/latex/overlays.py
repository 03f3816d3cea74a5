"""Beamer's overlays: on which slides of a frame something is shown, as in ``\\only<2->{…}``."""

from __future__ import annotations

import re

from porism.corpus.latex.macros import ProjectExpander
from porism.corpus.latex.tables import words
from porism.formula.macros.tokens import join

SHOWN = words("\\only \\uncover \\visible \\invisible \\onslide \\alert \\structure \\action")
"""Commands that show their argument on some slides: it is read as if it were shown on all."""
CHOICES = {"\\alt": (2, 0), "\\temporal": (3, 1)}
"""Commands that show one of several arguments → how many, and which of them a formula has."""
MARKED = words(
    "\\textcolor \\color \\textbf \\textit \\textrm \\textsl \\textsf \\texttt \\emph \\hyperlink \\includegraphics "
    "\\label \\item \\footnote \\frametitle \\framesubtitle \\note \\pause \\hypertarget \\againframe \\mode \\frame"
)
"""Commands with other arguments, that an overlay can stand before."""

_MAX_EXCERPT = 60
_OVERLAY = re.compile(
    r"[ \t]*<(?=[^<>]*(?:[-+.\d*]|all|article|beamer|presentation|handout|second|trans))[-+.\d,|* ()a-z:@]{1,60}>"
)


def skip_overlay(expander: ProjectExpander) -> bool:
    """Reads an overlay such as ``<2->`` if one comes next."""
    file = expander.stream.raw_file
    if file is not None:
        return file.match(_OVERLAY) is not None
    token = expander.stream.next()
    if token is None:
        return False
    match = _OVERLAY.match(token)
    rest = token[match.end() :] if match else token
    expander.stream.push([rest] if rest else [])
    return match is not None


def _says(tokens: list[str], part: list[str]) -> bool:
    """Whether all of ``part`` is in ``tokens``, in one piece."""
    whole, inner = ("\0".join(["", *(token for token in each if not token.isspace()), ""]) for each in (tokens, part))
    return inner in whole


def skip_mode(expander: ProjectExpander) -> None:
    """Reads the star or plus of ``\\onslide*<2>``."""
    token = expander.skip_spaces()
    rest = token[1:] if token is not None and token[0] in "*+" and token[1:2] in ("", "<") else token
    expander.stream.push([rest] if rest else [])


def take_overlay(expander: ProjectExpander, token: str) -> bool:
    """Reads what Beamer's command ``token`` has before its content; whether only the content is left of it."""
    if token in CHOICES:
        skip_overlay(expander)
        count, shown = CHOICES[token]
        groups = [expander.group() or [] for _ in range(count)]
        kept = groups[shown]
        left_out = [join(group).strip()[:_MAX_EXCERPT] for group in groups if not _says(kept, group)]
        if left_out:
            names = ", ".join(left_out)
            expander.report(f"of {token} in a formula only what the named slides show is read; left out is {names}")
        expander.stream.push(["{", *kept, "}"])
        return True
    if token in MARKED:
        skip_overlay(expander)
    elif token in SHOWN:
        skip_mode(expander)
        skip_overlay(expander)
        if expander.follows("{"):
            content = expander.group() or []
            is_part = "&" in content or "\\\\" in content  # of lines of a display
            expander.stream.push(content if is_part else ["{", *content, "}"])
    return token in SHOWN or token == "\\pause"
