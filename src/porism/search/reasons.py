"""Why a document was found, for a reader: which formula answers that of the question, and which words it has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from porism.analysis.analyzer import Analyzer
from porism.analysis.words import WORD
from porism.formula import layout_key, operator_tree, parse, to_unicode
from porism.formula.comparison.names import renaming
from porism.formula.values import whole_value
from porism.retrieve.formulas.matches import FormulaMatch
from porism.search.marked_text import Value, show_formula
from porism.types import Content, Document, Formula, Query

FormulaRelation = Literal["identical", "renamed", "equal value", "contains", "similar"]

TITLE = "title"

_SAID: Mapping[FormulaRelation, str] = {
    "identical": "the same formula", "renamed": "the same formula up to names",
    "contains": "a formula that contains it", "equal value": "a formula of equal value", "similar": "a similar formula",
}
_NUMBERS = ("", "once", "twice", "three times")


@dataclass(frozen=True, slots=True)
class FormulaReason(Value):
    """What the formula of a match is to that of the question, how often the document has it, and whether its title
    does."""

    relation: FormulaRelation
    count: int
    in_title: bool

    @property
    def text(self) -> str:
        """``the same formula up to names``."""
        return _SAID[self.relation]

    @property
    def where(self) -> str:
        """``in the title``, ``three times``, or nothing where it is there once."""
        often = times(self.count) if self.count > 1 else ""
        return ", ".join(part for part in ("in the title" if self.in_title else "", often) if part)


@dataclass(frozen=True, slots=True)
class WordReason(Value):
    """A word of the question, and how often the title and the rest of the document have it, in any of its forms."""

    word: str
    in_title: int
    in_text: int

    @property
    def where(self) -> str:
        """``in the title and twice in the text``."""
        parts = ["in the title"] if self.in_title else []
        parts += [f"{times(self.in_text)} in the text"] if self.in_text else []
        return " and ".join(parts)


@dataclass(frozen=True, slots=True)
class Reasons(Value):
    """Why a document was found: a reason for each match of formulas, in their order, and for each word that counts."""

    formulas: tuple[FormulaReason, ...] = ()
    words: tuple[WordReason, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """The words of the question that the document does not have."""
        return tuple(reason.word for reason in self.words if not reason.where)


def times(count: int) -> str:
    """How often in words: ``twice``, ``12 times``."""
    return _NUMBERS[count] if 0 < count < len(_NUMBERS) else f"{count:,} times"


def reasons_of(
    query: Query, document: Document, matches: Sequence[FormulaMatch], analyzer: Analyzer
) -> Reasons:
    """Why a document answers a query.

    :param matches: how its formulas answer those of the query.
    """
    held = document.with_terms_as_text()
    places = [
        (layout_key(parse(formula)), name)
        for name, content in held.fields.items() for formula in content.formulas
    ] if matches else []
    return Reasons(
        tuple(_formula_reason(match, places) for match in matches),
        tuple(_word_reasons(query.content.parts, held.fields, analyzer)),
    )


def _formula_reason(match: FormulaMatch, places: Sequence[tuple[str, str]]) -> FormulaReason:
    key = layout_key(parse(match.found))
    fields = [name for own, name in places if own == key]
    return FormulaReason(relation(match), max(1, len(fields)), TITLE in fields)


def relation(match: FormulaMatch) -> FormulaRelation:
    """What the formula that was found is to that of the query."""
    layouts = parse(match.query), parse(match.found)
    if layout_key(layouts[0]) == layout_key(layouts[1]):
        return "identical"
    trees = operator_tree(layouts[0]), operator_tree(layouts[1])
    if (names := renaming(*trees)) is not None:
        return "renamed" if any(old != new for old, new in names.items()) else "identical"
    first, second = map(whole_value, trees)
    if any(own and own == other for own, other in zip(first[:2], second[:2], strict=True)):
        return "equal value"
    return "contains" if any(pair.query == 0 for pair in match.values) else "similar"


def _word_reasons(
    parts: Iterable[str | Formula], fields: Mapping[str, Content], analyzer: Analyzer
) -> Iterable[WordReason]:
    words: dict[str, set[str]] = {}
    for part in parts:
        for match in WORD.finditer(part) if isinstance(part, str) else ():
            word = match.group()
            terms = {term for form in analyzer.word_forms(word) for term in form.terms if term}
            if terms and not any(terms <= known for known in words.values()):
                words[word] = terms
    find = analyzer.matcher(term for terms in words.values() for term in terms)
    held = [(name == TITLE, term) for name, content in fields.items() for _, _, term in find(content.text)]
    for word, terms in words.items():
        own = [in_title for in_title, term in held if term in terms]
        yield WordReason(word, sum(own), len(own) - sum(own))


def reason_line(reasons: Reasons, matches: Sequence[FormulaMatch]) -> str:
    """The reasons in a line: ``the same formula up to names (n ↦ k), three times; converge in the title``."""
    said = []
    for reason, match in zip(reasons.formulas, matches, strict=True):
        text = reason.text
        if reason.relation in ("renamed", "contains") and (names := changed_names(match)):
            text += f" ({', '.join(f'{old} ↦ {new}' for old, new in names)})"
        if reason.relation == "similar":
            share = "all" if match.query_share > 0.995 else f"{match.query_share:.0%}"
            text += f", with {share} of {show_formula(match.query, 'unicode')}"
        elif len(matches) > 1:
            text += f" as {show_formula(match.query, 'unicode')}"
        said.append(f"{text}, {reason.where}" if reason.where else text)
    places: dict[str, list[str]] = {}
    for word in reasons.words:
        if word.where:
            places.setdefault(word.where, []).append(word.word)
    said += [f"{', '.join(words)} {where}" for where, words in places.items()]
    if missing := reasons.missing:
        said.append(f"without {', '.join(missing)}")
    return "; ".join(said)


def changed_names(match: FormulaMatch) -> list[tuple[str, str]]:
    """The symbols that stand for others in the formula that was found, as text."""
    changed = dict.fromkeys((entry.query, entry.found) for entry in match.substitutions if not entry.identical)
    return [(_shown(old), _shown(new)) for old, new in changed]


def _shown(latex: str) -> str:
    return to_unicode(parse(latex, "latex")) or latex
