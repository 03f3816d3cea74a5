"""References by label as readers see them: ``Lemma [five-lemma]``."""

from __future__ import annotations

import re
from collections.abc import Callable

from porism.corpus.latex.tables import LABEL_WORDS, REFERRED_TO, THEOREMS, words

_PREFIX = re.compile(r"([A-Za-z]+)[:_-]")
_LAST_WORD = re.compile(r"([^\W\d_]+)\.?[\s\u00a0~]*[(\[]?\Z|§[\s\u00a0~]*\Z")
_LOOKED_BACK = 40
_TARGETED = re.compile(r"(.*?)\s*<([^<>]*)>\Z", re.DOTALL)
_REFERENCE_ROLES = words("ref eq eqref numref prf:ref")


def reference_text(
    command: str, labels: str, kind_of: Callable[[str], str | None] = lambda label: None, before: str = ""
) -> str:
    """What a reference reads as: the label in brackets, and before it what it names, where that is known.

    That is what the project has under the label, or else what the label's prefix stands for: ``\\ref{lem:five}`` gives
    ``Lemma [lem:five]``. Where the text before says it already, as in ``Lemma~\\ref{lem:five}``, the label is enough.

    :param labels: one label, or several between commas.
    :param kind_of: what a label names, as far as that has been read.
    :param before: the text before the reference.
    """
    texts: list[str] = []
    said = "" if command == "\\nameref" else _last_word(before)
    for label in filter(None, (label.strip() for label in labels.split(","))):
        kind = kind_of(label) or _kind_of_prefix(label)
        if kind is None and command == "\\eqref":
            kind = "equation"
        if kind is None or kind == said or (said in REFERRED_TO and not texts):
            texts.append(f"[{label}]")
        else:
            texts.append(f"{kind[0].upper()}{kind[1:]} [{label}]")
        said = kind or said
    return ", ".join(texts)


def link_entry(target: str, shown: str) -> str:
    """A link of a note or page as :data:`porism.types.LINKS` keeps it, its text on one line."""
    return f"{target.replace('|', ' ').strip()}|{' '.join(shown.split())}"


def role_text(name: str, body: str) -> str:
    """What a role of reStructuredText or MyST reads as: the title before a target in angle brackets, or a reference."""
    targeted = _TARGETED.match(body)
    if targeted and targeted.group(1):
        return targeted.group(1)
    if name in _REFERENCE_ROLES:
        return reference_text("\\eqref" if name == "eq" else "\\cref", targeted.group(2) if targeted else body)
    return body.lstrip("~!") if name else body


def _kind_of_prefix(label: str) -> str | None:
    match = _PREFIX.match(label)
    if match is None:
        return None
    prefix = match.group(1).lower()
    return LABEL_WORDS.get(prefix) or (THEOREMS.get(prefix) if len(prefix) > 3 else None)


def _last_word(before: str) -> str:
    match = _LAST_WORD.search(before[-_LOOKED_BACK:])
    return "" if match is None else (match.group(1) or "§").lower()
