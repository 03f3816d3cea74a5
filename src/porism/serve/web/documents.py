"""Documents to be read, and two of them beside each other."""

from __future__ import annotations

from collections.abc import Mapping

from porism.analysis.folding import fold
from porism.analysis.words import WORD
from porism.formula import operator_tree, parse
from porism.formula.values import whole_value
from porism.search.exporting import bibtex_entry
from porism.search.marked_text import Piece, Snippet, show_content
from porism.search.snippets import SnippetMaker
from porism.serve.web import schema
from porism.serve.web.answering import read
from porism.serve.web.formula_views import key_of, same_up_to_names
from porism.serve.web.parts import Parts, parts_of
from porism.serve.web.pieces import PieceMaker, place_of, plain_pieces
from porism.serve.web.referring import ReferringPieces
from porism.serve.web.requests import Deadline
from porism.serve.web.served import View
from porism.serve.web.settings import Limits
from porism.types import NAMES, PLACEHOLDER, Content, Document, Formula, Query

BESIDE = frozenset({"title", "tags", "labels", "section", "expansion"})
"""Fields that are shown apart from the text, or not at all."""

FIRST = ("question", "body")

MAX_COMPARED = 80
"""Of a document's formulas the longest so many are compared with those of another."""

MIN_SHARE = 0.6
"""Formulas correspond if at least this share of either matches."""

_MAX_WORDS = 24
_MIN_WORD_LENGTH = 4


def show(served: View, doc_id: str, limits: Limits, text: str = "") -> schema.DocumentView:
    """A document, with what matches a question marked where one is given.

    :raises QueryError: the index has no such document, or the question is too long.
    """
    document = served.index.document(doc_id).with_terms_as_text()
    if text.strip():
        question = read(served, text, limits)
        parts = parts_of(served.index, question)
        return _view(served, document, parts, served.index.marked(question, document.id), limits)
    maker = SnippetMaker(served.index.analyzer, {}, ())
    snippets = {name: maker.marked(document, name) for name in shown_fields(document)}
    return _view(served, document, Parts(), snippets, limits)


def shown_fields(document: Document) -> list[str]:
    """The names of the fields that are text of a document, in the order in which they are read."""
    names = [name for name, content in document.fields.items() if content and name not in BESIDE]
    names.sort(key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
    return names


def _view(
    served: View, document: Document, parts: Parts, snippets: Mapping[str, list[Snippet]], limits: Limits
) -> schema.DocumentView:
    pieces = PieceMaker(served, parts, Deadline(limits.alignment_seconds))
    location = served.index.location(document.id)
    title = show_content(document.title, "unicode")
    referring = ReferringPieces(served.references.references(document))
    sections = tuple(
        schema.Section(
            name=name,
            paragraphs=tuple(
                schema.Paragraph(pieces=referring.pieces(pieces.pieces(snippet))) for snippet in snippets.get(name, ())
            ),
        )
        for name in shown_fields(document)
    )
    name = location.section[-1] if location.section else document.id
    shown_title = plain_pieces(document.title) or (schema.PieceView(text=name),)
    latex_title = SnippetMaker(served.index.analyzer, {}, ()).title(document, "latex")
    if not latex_title.pieces:
        latex_title = Snippet((Piece(name),))
    return schema.DocumentView(
        index=served.name, generation=served.generation, id=document.id, title=shown_title, sections=sections,
        place=place_of(location, len(served.index.snapshot.sources) > 1, title),
        metadata={key: value for key, value in document.metadata.items() if key not in NAMES},
        parts=tuple(parts.parts), formulas=len(formulas_of(sections)),
        bibtex=bibtex_entry(document.id, latex_title, document.metadata, location),
    )


def formulas_of(sections: tuple[schema.Section, ...]) -> list[schema.FormulaView]:
    """The formulas of a document, in reading order."""
    return [
        piece.formula for section in sections for paragraph in section.paragraphs for piece in paragraph.pieces
        if piece.formula is not None
    ]


def compare(served: View, left_id: str, right_id: str, limits: Limits) -> schema.ComparisonView:
    """Two documents with the formulas of them that correspond, and the words that both have.

    Equal formulas are found by their normalised forms, then equal ones by names or by value, then the most similar
    ones by alignment, until the time budget ends.

    :raises QueryError: the index has no such document.
    """
    deadline = Deadline(limits.seconds)
    left, right = show(served, left_id, limits), show(served, right_id, limits)
    lefts = [Formula(formula.latex) for formula in formulas_of(left.sections)]
    rights = [Formula(formula.latex) for formula in formulas_of(right.sections)]
    links = _links(served, lefts, rights, right_id, deadline)
    return schema.ComparisonView(
        index=served.name, generation=served.generation, left=left, right=right, links=tuple(links),
        words=_common_words(served, left_id, right_id), partial=deadline.missed,
    )


def _links(
    served: View, lefts: list[Formula], rights: list[Formula], right_id: str, deadline: Deadline
) -> list[schema.Link]:
    left_places, right_places = _places(lefts), _places(rights)
    links: list[schema.Link] = []
    left_over = []
    right_values = {key: _values(rights[numbers[0]]) for key, numbers in right_places.items()}
    telling = [key for key, numbers in left_places.items() if _tells(lefts[numbers[0]])]
    telling.sort(key=lambda key: -len(lefts[left_places[key][0]].source))
    for key in telling[:MAX_COMPARED]:
        formula = lefts[left_places[key][0]]
        kind, others = "same", [key] if key in right_places else []
        if not others:
            kind = "renamed"
            others = [other for other, at in right_places.items() if same_up_to_names(formula, rights[at[0]])]
        if not others and (values := _values(formula)):
            kind = "equal value"
            others = [other for other, own in right_values.items() if values & own]
        if others:
            at = tuple(number for match_key in others for number in right_places[match_key])
            links.append(schema.Link(left=tuple(left_places[key]), right=at, kind=kind, share=1.0))  # type: ignore[arg-type]
        else:
            left_over.append(key)
    for key in left_over:
        if deadline.over():
            break
        formula = lefts[left_places[key][0]]
        query = Query("query", {"query": Content(PLACEHOLDER, (formula,))})
        for match in served.index.matches(query, right_id):
            other_key = key_of(match.found)
            share = min(match.query_share, match.found_share)
            if other_key in right_places and share >= MIN_SHARE:
                links.append(
                    schema.Link(
                        left=tuple(left_places[key]), right=tuple(right_places[other_key]), kind="similar",
                        share=round(share, 3),
                    )
                )
    return sorted(links, key=lambda link: link.left)


def _tells(formula: Formula) -> bool:
    """Whether a formula is more than a letter or a number, which any two documents share."""
    return bool(operator_tree(parse(formula)).root.children)


def _places(formulas: list[Formula]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for number, formula in enumerate(formulas):
        places.setdefault(key_of(formula), []).append(number)
    return places


def _values(formula: Formula) -> set[str]:
    value = whole_value(operator_tree(parse(formula)))
    return {term for term in (value.named, value.renamed) if term} if value.telling else set()


def _common_words(served: View, left_id: str, right_id: str) -> tuple[str, ...]:
    """Words of both documents, those of fewest documents first."""
    words = []
    for doc_id in (left_id, right_id):
        fields = served.index.document(doc_id).with_terms_as_text().fields
        text = " ".join(content.text for content in fields.values())
        words.append({fold(word): word.lower() for word in WORD.findall(text) if len(word) >= _MIN_WORD_LENGTH})
    both = words[0].keys() & words[1].keys()
    vocabulary = served.vocabulary
    if vocabulary is None:
        return tuple(sorted(words[0][word] for word in both))[:_MAX_WORDS]
    known = [word for word in both if not word.isdigit()]
    known.sort(key=lambda word: (vocabulary.documents_of[word] or 1, word))
    most = max(1, len(served.index) // 4)
    return tuple(words[0][word] for word in known if vocabulary.documents_of[word] <= most)[:_MAX_WORDS]


