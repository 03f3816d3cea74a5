"""References by label as words that can be searched for."""

from __future__ import annotations

import re

from porism.corpus.latex_tables import LABEL_WORDS, NAMED_REFERENCES

_SEPARATORS = re.compile(r"[_\-.\s]+")


def reference_text(command: str, labels: str) -> str:
    """What a reference reads as: the words of the label, with the kind that its prefix names where it is printed.

    ``\\ref{thm:first-iso}`` gives ``first iso``, ``\\Cref{thm:first-iso}`` gives ``theorem first iso``.
    """
    texts: list[str] = []
    for label in labels.split(","):
        prefix, colon, rest = label.strip().partition(":")
        words = " ".join(_SEPARATORS.sub(" ", rest if colon else prefix).split())
        kind = LABEL_WORDS.get(prefix.lower()) if colon and command in NAMED_REFERENCES else None
        texts.append(f"{kind} {words}" if kind else words)
    text = ", ".join(texts)
    return f"({text})" if command == "\\eqref" else text
