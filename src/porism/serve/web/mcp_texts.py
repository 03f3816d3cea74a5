"""What a language model is given to read: answers as short plain text, formulas in LaTeX between dollars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush

from porism.errors import pluralise
from porism.explanation import Explanation
from porism.formula import ParseProblem, parse, to_latex
from porism.formula.comparison.results import VERDICTS
from porism.search.printable import one_printable_line
from porism.serve.web import document_schema, schema
from porism.serve.web.documents import shown_fields
from porism.types import Content, Document, Formula

MAX_LINES = 24
"""Contributions of an explanation; what contributes least is added up."""

_PASSAGE = 500
_PLACES = 3
_OF_THE_PLACE = frozenset({"source", "file", "line"})


def pieces_text(pieces: Iterable[schema.PieceView]) -> str:
    """Text with formulas as LaTeX."""
    return "".join(piece.text if piece.formula is None else f"${piece.formula.latex}$" for piece in pieces)


def content_text(content: Content) -> str:
    """The content of a field, formulas as LaTeX; those in plain notations as they are written."""

    def latex(formula: Formula) -> str:
        source = to_latex(parse(formula)) if formula.notation == "mathml" else formula.source
        return f"$${source}$$" if formula.display else f"${source}$"

    return "".join(part if isinstance(part, str) else latex(part) for part in content.with_terms_as_text().parts)


def document_text(document: Document, title: str, place: str) -> str:
    """A whole document: title, id, place and metadata, then its fields."""
    lines = [f"# {title}", f"id: {document.id}"]
    if place:
        lines.append(f"place: {place}")
    for key, value in document.metadata.items():
        if place and key in _OF_THE_PLACE:
            continue
        shown = value if isinstance(value, str) else ", ".join(value)
        lines.append(f"{one_printable_line(key)}: {one_printable_line(shown)}")
    names = shown_fields(document)
    parts = ["\n".join(lines)]
    for name in names:
        heading = f"## {name}\n\n" if len(names) > 1 else ""
        parts.append(heading + content_text(document.fields[name]).strip())
    return "\n\n".join(parts)


def cut(text: str, start: int, characters: int) -> str:
    """A part of a text, with a line that says how to go on."""
    part = text[start : start + characters]
    end = start + len(part)
    if end < len(text):
        part += f"\n\n[characters {start:,} to {end:,} of {len(text):,}; go on with start={end}]"
    elif start:
        part += f"\n\n[characters {start:,} to {end:,}, the end]"
    return part


def results_text(results: schema.SearchResults, characters: int) -> str:
    """The hits of a search, as many as fit."""
    head = [_found(results, "document")]
    head += [f"Note: {hint}" for hint in results.hints]
    return "\n".join(head) + _fitting([_hit(hit) for hit in results.hits], characters)


def similar_text(similar: document_schema.Similar, characters: int) -> str:
    """Documents like another one, as many as fit."""
    return f"Most like {similar.id}:" + _fitting([_hit(hit) for hit in similar.hits], characters)


def formulas_text(results: schema.FormulaResults, characters: int) -> str:
    """The formulas that a search found and the documents that have them, as many as fit."""
    head = [_found(results, "formula")]
    head += [f"Note: {hint}" for hint in results.hints]
    return "\n".join(head) + _fitting([_formula_hit(hit) for hit in results.hits], characters)


def explained_text(explained: schema.Explained) -> str:
    """Why a document was found, contributions to its score, largest first, and how formulas answer the question's."""
    text = f"{explained.summary}\n\n" if explained.summary else ""
    text += _tree_text(explained.contributions)
    for alignment in explained.alignments:
        text += f"\n\n${alignment.found.latex}$ answers ${alignment.query.latex}$: "
        text += f"{alignment.query_share:.0%} of it is matched"
        if alignment.substitution:
            text += ", with " + ", ".join(f"${old.latex} \\mapsto {new.latex}$" for old, new in alignment.substitution)
        if alignment.equal_values:
            text += "; equal in value: " + ", ".join(alignment.equal_values)
    return text


def equality_text(equality: schema.Equality, problems: Sequence[ParseProblem]) -> str:
    """Whether two formulas are equal, and what of them could not be read."""
    lines = [
        f"{VERDICTS.get(equality.relation, 'Equal')} ({equality.relation}). {equality.explanation}",
        f"first: ${equality.first.latex}$", f"second: ${equality.second.latex}$",
    ]
    lines += [f"{step.text} ${step.formula.latex}$" if step.formula else step.text for step in equality.steps]
    if equality.names:
        lines.append("names: " + ", ".join(f"${old.latex} \\mapsto {new.latex}$" for old, new in equality.names))
    if (apart := equality.difference) is not None:
        point = ", ".join(f"${name.latex} = {value.latex}$" for name, value in apart.point)
        lines.append(f"at {point}: first ${apart.first.latex}$, second ${apart.second.latex}$")
    lines += [f"both have ${part.first.latex}$" for part in equality.common if not part.renamed]
    lines += [f"Note: not read at position {problem.position}: {problem.what}" for problem in problems]
    return "\n".join(lines)


def indexes_text(views: Iterable[schema.IndexView]) -> str:
    """What can be searched."""
    return "\n".join(
        f"{view.name}: {view.documents:,} documents, {view.formulas:,} distinct formulas; fields "
        f"{', '.join(view.fields)}; filters by {', '.join(view.metadata) or 'nothing'}" for view in views
    )


def _found(results: schema.Page, noun: str) -> str:
    return f"{'' if results.total_is_exact else 'At least '}{pluralise(results.total, noun)} found."


def _hit(hit: schema.HitView) -> str:
    passage = pieces_text(hit.snippet)
    if len(passage) > _PASSAGE:
        passage = f"{passage[:_PASSAGE]}…"
    place = f"\n   place: {hit.place.text}" if hit.place.text else ""
    home = f"\n   index: {hit.home}" if hit.home else ""
    return f"{hit.rank}. {pieces_text(hit.title)}\n   id: {hit.id}{home}{place}\n   {passage}".rstrip()


def _formula_hit(hit: schema.FormulaHitView) -> str:
    places = "; ".join(f"{pieces_text(place.title)} (id: {place.id})" for place in hit.places[:_PLACES])
    more = f", and {hit.documents - _PLACES:,} more" if hit.documents > _PLACES else ""
    text = f"{hit.rank}. ${hit.formula.latex}$ ({hit.relation})\n   in {places}{more}"
    if hit.alignment is not None and hit.alignment.substitution:
        pairs = (f"${old.latex} \\mapsto {new.latex}$" for old, new in hit.alignment.substitution)
        text += "\n   with " + ", ".join(pairs)
    return text


def _fitting(entries: Sequence[str], characters: int) -> str:
    text = ""
    for number, entry in enumerate(entries):
        if len(text) + len(entry) > characters and number:
            return text + f"\n\n[{len(entries) - number} more did not fit: ask for fewer, or the next page]"
        text += f"\n\n{entry}"
    return text


def _tree_text(root: Explanation) -> str:
    """A tree of contributions, of each node the largest parts, as many lines as are allowed."""
    shown: set[int] = set()
    waiting: list[tuple[float, int, Explanation]] = [(-abs(root.value), 0, root)]
    while waiting and len(shown) < MAX_LINES:
        *_, node = heappop(waiting)
        shown.add(id(node))
        for part in node.parts:
            heappush(waiting, (-abs(part.value), len(shown) + len(waiting), part))
    lines: list[str] = []
    left = [(root, 0)]
    while left:
        node, depth = left.pop()
        lines.append(f"{'  ' * depth}{node.value:.3f} {node.label}")
        parts = [part for part in node.parts if id(part) in shown]
        if len(parts) < len(node.parts):
            rest = sum(part.value for part in node.parts) - sum(part.value for part in parts)
            number = len(node.parts) - len(parts)
            left.append((Explanation(rest, pluralise(number, "smaller part")), depth + 1))
        left += [(part, depth + 1) for part in reversed(parts)]
    return "\n".join(lines)
