"""Documents to be read, and two of them beside each other."""

from __future__ import annotations

from collections.abc import Mapping

from porism.analysis.folding import fold
from porism.analysis.words import WORD
from porism.formula import operator_tree, parse, to_latex
from porism.search.exporting import bibtex_entry
from porism.search.highlighting import FormulaParts
from porism.search.marked_text import Piece, Snippet, show_content
from porism.search.shared_formulas import MAX_COMPARED, SharedFormula, shared_formulas
from porism.search.snippets import SnippetMaker
from porism.serve.web import schema
from porism.serve.web.answering import read
from porism.serve.web.document_schema import ComparisonView, DocumentView, Link, Paragraph, Section
from porism.serve.web.formula_views import key_of, view
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

MIN_SHARE = 0.6
"""Formulas correspond if at least this share of either matches."""

_MAX_WORDS = 24
_MIN_WORD_LENGTH = 4


def show(served: View, doc_id: str, limits: Limits, text: str = "") -> DocumentView:
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
) -> DocumentView:
    pieces = PieceMaker(served, parts, Deadline(limits.alignment_seconds))
    location = served.index.location(document.id)
    title = show_content(document.title, "unicode")
    referring = ReferringPieces(served.references.references(document))
    sections = tuple(
        Section(
            name=name,
            paragraphs=tuple(
                Paragraph(pieces=referring.pieces(pieces.pieces(snippet))) for snippet in snippets.get(name, ())
            ),
        )
        for name in shown_fields(document)
    )
    first = location.line if location.is_paged else None
    last = max((content.line_of(len(content.text)) for content in document.fields.values()), default=0)
    name = location.section[-1] if location.section else document.id
    shown_title = plain_pieces(document.title) or (schema.PieceView(text=name),)
    latex_title = SnippetMaker(served.index.analyzer, {}, ()).title(document, "latex")
    if not latex_title.pieces:
        latex_title = Snippet((Piece(name),))
    return DocumentView(
        index=served.name, generation=served.generation, id=document.id, title=shown_title, sections=sections,
        place=place_of(location, len(served.index.snapshot.sources) > 1, title),
        metadata={key: value for key, value in document.metadata.items() if key not in NAMES},
        parts=tuple(parts.parts), formulas=len(formulas_of(sections)),
        bibtex=bibtex_entry(document.id, latex_title, document.metadata, location),
        pages=() if first is None else tuple(range(first, first + last + 1)),
    )


def formulas_of(sections: tuple[Section, ...]) -> list[schema.FormulaView]:
    """The formulas of a document, in reading order."""
    return [
        piece.formula for section in sections for paragraph in section.paragraphs for piece in paragraph.pieces
        if piece.formula is not None
    ]


def compare(served: View, left_id: str, right_id: str, limits: Limits) -> ComparisonView:
    """Two documents with the formulas of them that correspond, and the words that both have.

    Of each formula the closest counterparts are found: the same ones, those equal up to names or in value, sums and
    integrals with other bounds. Of others they are the most similar ones, until the time budget ends, or those that
    share a part.

    :raises QueryError: the index has no such document.
    """
    deadline = Deadline(limits.seconds)
    left, right = show(served, left_id, limits), show(served, right_id, limits)
    lefts = [Formula(formula.latex) for formula in formulas_of(left.sections)]
    rights = [Formula(formula.latex) for formula in formulas_of(right.sections)]
    links = _links(served, lefts, rights, right_id, deadline)
    return ComparisonView(
        index=served.name, generation=served.generation, left=left, right=right, links=tuple(links),
        words=_common_words(served, left_id, right_id), partial=deadline.missed,
    )


def _links(
    served: View, lefts: list[Formula], rights: list[Formula], right_id: str, deadline: Deadline
) -> list[Link]:
    """The formulas that correspond: of those that share no more than a part, the similar ones are looked up."""
    shared = list(shared_formulas(lefts, rights))
    links = [_link(each, lefts) for each in shared if each.kind != "part"]
    parts = {each.left[0]: each for each in shared if each.kind == "part"}
    done = {link.left[0] for link in links}
    right_places = _places(rights)
    others = [numbers for numbers in _places(lefts).values() if numbers[0] not in done and _tells(lefts[numbers[0]])]
    for numbers in sorted(others, key=lambda numbers: -len(lefts[numbers[0]].source))[:MAX_COMPARED]:
        if deadline.over():
            links += [_link(parts[number], lefts) for number in (numbers[0],) if number in parts]
            continue
        query = Query("query", {"query": Content(PLACEHOLDER, (lefts[numbers[0]],))})
        similar = []
        for match in served.index.matches(query, right_id):
            at, share = right_places.get(key_of(match.found)), min(match.query_share, match.found_share)
            if at is not None and share >= MIN_SHARE:
                similar.append(Link(left=tuple(numbers), right=tuple(at), kind="similar", share=round(share, 3)))
        if not similar and numbers[0] in parts:
            similar = [_link(parts[numbers[0]], lefts)]
        links += similar
    return sorted(links, key=lambda link: link.left)


def _link(shared: SharedFormula, lefts: list[Formula]) -> Link:
    part = None
    if shared.kind in ("part", "other bounds"):
        part = view(Formula(to_latex(FormulaParts(lefts[shared.left[0]]).subexpression(shared.part))))
    return Link(left=shared.left, right=shared.right, kind=shared.kind, share=shared.share, part=part)


def _tells(formula: Formula) -> bool:
    """Whether a formula is more than a letter or a number, which any two documents share."""
    return bool(operator_tree(parse(formula)).root.children)


def _places(formulas: list[Formula]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for number, formula in enumerate(formulas):
        places.setdefault(key_of(formula), []).append(number)
    return places


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


