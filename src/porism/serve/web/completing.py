"""Completions of a question: commands after a backslash, formulas after a dollar, else words, tags and whole results.

What is typed is never lost: a completion goes on with it, and a title opens its document in place of the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from porism.analysis.folding import fold
from porism.serve.web.formula_views import view
from porism.serve.web.schema import Completion, Completions
from porism.serve.web.served import View
from porism.serve.web.vocabulary import CompletionVocabulary, VocabularyEntry, squeezed
from porism.types import Formula

EACH = 5
"""Completions of each kind, at most."""

_WORD_AT_END = re.compile(r"[^\W_]+\Z")
_TAG_AT_END = re.compile(r"(?:\A|(?<=\s))tags:([\w-]*)\Z")
_COMMAND_AT_END = re.compile(r"(?<!\\)(?:\\\\)*\\([A-Za-z]*)\Z")
_DOLLARS = re.compile(r"(?<!\\)\$\$?")


def complete(served: View, text: str, most: int = 8) -> Completions:
    """What the command, formula or word at the end of a text could go on with, from what the index contains.

    Empty while the vocabulary of the index is being read, which takes a few seconds after it was opened.
    """
    vocabulary = served.vocabulary
    if vocabulary is None or not text.strip():
        return Completions(question=text, completions=())
    command, opened = _COMMAND_AT_END.search(text), _open_formula(text)
    completions: list[Completion] = []
    if command is not None:
        completions += _commands(vocabulary, command[1], command.start(1) - 1)
    if opened is not None:
        completions += _formulas(vocabulary, text, *opened, most - len(completions))
    elif command is None:
        completions += _text(vocabulary, text, most)
    return Completions(question=text, completions=tuple(completions[:most]))


def _commands(vocabulary: CompletionVocabulary, typed: str, start: int) -> Iterator[Completion]:
    for entry in [entry for entry in vocabulary.commands.find(typed, EACH + 1) if entry.key != typed][:EACH]:
        yield Completion(
            kind="command", text=f"\\{entry.key}", start=start, documents=entry.documents,
            formula=view(Formula(entry.text)) if entry.text else None,
        )


def _formulas(
    vocabulary: CompletionVocabulary, text: str, start: int, closing: str, most: int
) -> Iterator[Completion]:
    typed = squeezed(text[start:])
    for entry in vocabulary.formulas.find(typed, most) if typed else ():
        yield Completion(
            kind="formula", text=f"{entry.text}{closing}", start=start, documents=entry.documents,
            formula=view(Formula(entry.text)),
        )


def _text(vocabulary: CompletionVocabulary, text: str, most: int) -> Iterator[Completion]:
    if (tag := _TAG_AT_END.search(text)) is not None:
        for entry in vocabulary.tags.find(fold(tag[1]), most):
            yield Completion(kind="tag", text=f"tags:{entry.text}", start=tag.start(), documents=entry.documents)
        return
    word = _WORD_AT_END.search(text)
    if word is not None and len(word.group()) >= 2:
        prefix = fold(word.group())
        entries = [entry for entry in vocabulary.words.find(prefix, EACH + 1) if entry.key != prefix]
        for entry in entries[:EACH]:
            yield Completion(
                kind="word", text=_going_on(word.group(), entry.text), start=word.start(), documents=entry.documents
            )
    if len(text.strip()) >= 3:
        for entry in _distinct(vocabulary.titles.find(fold(text.lstrip()), 4 * EACH)):
            yield Completion(kind="title", text=entry.text, start=0, documents=1, id=entry.id)


def _going_on(typed: str, word: str) -> str:
    """A word that keeps the letters that were typed as they are, where it has the same."""
    return typed + word[len(typed) :] if word.lower().startswith(typed.lower()) else word


def _distinct(titles: list[VocabularyEntry]) -> list[VocabularyEntry]:
    """One document of each title."""
    return list({entry.text: entry for entry in reversed(titles)}.values())[::-1][:EACH]


def _open_formula(text: str) -> tuple[int, str] | None:
    """Where the formula begins whose closing dollars are missing, and these; None where there is none."""
    opened: tuple[int, str] | None = None
    for dollars in _DOLLARS.finditer(text):
        opened = (dollars.end(), dollars.group()) if opened is None else None
    return opened
