"""Completions of a question while it is typed."""

from __future__ import annotations

import re

from porism.analysis.folding import fold
from porism.serve.web.formula_views import view
from porism.serve.web.schema import Completion, Completions
from porism.serve.web.served import View
from porism.serve.web.vocabulary import squeezed
from porism.types import Formula

_WORD_AT_END = re.compile(r"[^\W_]+\Z")
_TAG_AT_END = re.compile(r"(?:\A|(?<=\s))tags:([\w-]*)\Z")

EACH = 5
"""Completions of each kind, at most."""


def complete(served: View, text: str, most: int = 8) -> Completions:
    """What the last word or the formula at the end of a text could go on with, from what the index contains.

    Empty while the vocabulary of the index is being read, which takes a few seconds after it was opened.
    """
    vocabulary = served.vocabulary
    found: list[Completion] = []
    if vocabulary is not None and text.strip():
        opened = _open_formula(text)
        if opened is not None:
            typed = squeezed(text[opened:])
            found = [
                Completion(
                    kind="formula", text=f"{entry.text}$", start=opened, documents=entry.documents,
                    formula=view(Formula(entry.text)),
                )
                for entry in vocabulary.formulas.find(typed, most) if typed
            ]
        elif (tag := _TAG_AT_END.search(text)) is not None:
            found = [
                Completion(kind="tag", text=f"tags:{entry.text}", start=tag.start(), documents=entry.documents)
                for entry in vocabulary.tags.find(fold(tag[1]), most)
            ]
        else:
            found = _words(served, text)
    return Completions(question=text, completions=tuple(found[:most]))


def _words(served: View, text: str) -> list[Completion]:
    vocabulary = served.vocabulary
    assert vocabulary is not None
    found: list[Completion] = []
    word = _WORD_AT_END.search(text)
    if word is not None and len(word.group()) >= 2:
        prefix = fold(word.group())
        entries = [entry for entry in vocabulary.words.find(prefix, EACH + 1) if entry.key != prefix]
        found += [
            Completion(kind="word", text=entry.text, start=word.start(), documents=entry.documents)
            for entry in entries[:EACH]
        ]
        found += [
            Completion(kind="tag", text=f"tags:{entry.text}", start=word.start(), documents=entry.documents)
            for entry in vocabulary.tags.find(prefix, 2)
        ]
    if len(text.strip()) >= 3:
        found += [
            Completion(kind="title", text=entry.text, start=0, documents=1, id=entry.id)
            for entry in vocabulary.titles.find(fold(text.lstrip()), 2)
        ]
    return found


def _open_formula(text: str) -> int | None:
    """Where the formula begins whose closing dollar is missing, None where there is none."""
    dollars = [match.start() for match in re.finditer(r"(?<!\\)\$", text)]
    return dollars[-1] + 1 if len(dollars) % 2 else None
