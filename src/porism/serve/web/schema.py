"""The values of the API: what the server answers, the pages show and the client returns. One schema for all three."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from porism.explanation import Explanation
from porism.formula import ParseProblem
from porism.formula.comparison import Relation
from porism.search.answers import MissingIndex
from porism.search.grouping import Group
from porism.search.reasons import FormulaRelation
from porism.search.suggestions import Correction


class Model(BaseModel):
    """A value of the API: immutable; fields that a newer server adds are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class FormulaView(Model):
    """A formula in the notations that a reader can use."""

    latex: str
    text: str = Field(description="One line of Unicode.")
    mathml: str = Field(description="A <math> element made from Porism's own tree; never markup of a source.")
    key: str = Field(default="", description="Normalised form: the same for formulas that look the same.")


class PageBox(Model):
    """A place in a PDF: the page, from 1, and left, bottom, right and top in points from its lower left corner."""

    page: int
    box: tuple[float, float, float, float]


class PieceView(Model):
    """A run of text, or one formula; ``part`` is the number of the part of the question that it matches."""

    text: str
    match: bool = False
    part: int | None = None
    formula: FormulaView | None = None
    box: PageBox | None = Field(default=None, description="Where a formula of a PDF is.")
    target: str | None = Field(default=None, description="The document that the text refers to, by a label or a link.")


class QueryPart(Model):
    """A part of a question: a word, a formula, a phrase or a condition. ``colour`` is what its matches share:
    0 for words, 1–12 for formulas, of which 6–10 and 11–12 are the colours 1–5 again with other lines."""

    number: int
    kind: Literal["word", "formula", "phrase", "filter"]
    text: str
    colour: int = 0
    formula: FormulaView | None = None
    problems: tuple[ParseProblem, ...] = ()


class PlaceView(Model):
    """Where a document is; what is not known is empty."""

    text: str = Field(default="", description="One line: file, kind, headings.")
    source: str | None = None
    file: str | None = None
    line: int | None = None
    kind: str | None = None
    section: tuple[str, ...] = ()
    tag: str | None = None
    url: str | None = None
    editor: str | None = Field(default=None, description="Opens the file in an editor, see PORISM_EDITOR_URL.")


class AlignmentView(Model):
    """How a formula of a document answers one of the question; ``relation`` and where it is are of explained documents.

    Matched symbols have the class ``m``; the n-th pair of ``substitution`` has the class ``s`` and its number too.
    """

    part: int | None = None
    score: float
    query: FormulaView
    found: FormulaView
    query_share: float
    found_share: float
    substitution: tuple[tuple[FormulaView, FormulaView], ...] = ()
    equal_values: tuple[str, ...] = ()
    explanation: Explanation | None = None
    relation: FormulaRelation | None = None
    said: str = Field(default="", description="The relation in words.")
    where: str = Field(default="", description="In the title, and how often, where it is there more than once.")


class WordView(Model):
    """A word of the question that a document has, and where; a word that it does not have has no ``where``."""

    word: str
    part: int | None = None
    in_title: int
    in_text: int
    where: str


class Explained(Model):
    """Why a document was found: in a line for readers, by formulas and words, and by the parts of its score."""

    id: str
    summary: str = ""
    words: tuple[WordView, ...] = ()
    contributions: Explanation
    alignments: tuple[AlignmentView, ...] = ()
    partial: bool = False


class StageView(Model):
    """The rank and the score that one stage gave a document: ``search``, or a reranker."""

    stage: str
    rank: int
    score: float


class HitView(Model):
    """A document that was found; one that was re-ranked has what each stage gave it."""

    rank: int
    id: str
    score: float
    title: tuple[PieceView, ...]
    snippet: tuple[PieceView, ...]
    place: PlaceView
    metadata: dict[str, str | tuple[str, ...]] = {}
    explanation: Explained | None = None
    stages: tuple[StageView, ...] = ()
    page: str | None = Field(default=None, description="The address of its page, of a document on another server.")
    home: str | None = Field(default=None, description="The index that has it, where several are searched.")
    group: Group | None = Field(default=None, description="Where results are grouped: what it is the best one of.")


class HitList(Model):
    """Results as a file."""

    hits: tuple[HitView, ...]


class FacetValue(Model):
    """A value of a facet, and how many of the results that match well have it."""

    value: str
    count: int
    chosen: bool = False


class Facet(Model):
    """A key of the metadata with its values among the results that match well, most frequent first; ``distinct`` counts
    them all."""

    key: str
    values: tuple[FacetValue, ...]
    distinct: int


class FacetList(Model):
    """The facets of a question's results; ``matching`` of them match well."""

    index: str
    generation: int
    total: int
    matching: int = 0
    facets: tuple[Facet, ...]


class Page(Model):
    """What all lists of results have in common."""

    index: str
    generation: int
    question: str
    parts: tuple[QueryPart, ...] = ()
    hints: tuple[str, ...] = ()
    total: int
    total_is_exact: bool = Field(default=True, description="False where there are at least ``total`` results.")
    page: int = 1
    per_page: int = 10
    seconds: float
    partial: bool = Field(
        default=False, description="Whether the time budget ended before all was made, or an index is missing."
    )
    missing: tuple[MissingIndex, ...] = Field(default=(), description="Indexes on servers that did not answer.")


class SearchResults(Page):
    """Documents that answer a question."""

    hits: tuple[HitView, ...]
    facets: tuple[Facet, ...] = ()
    correction: Correction | None = Field(
        default=None, description="What may have been meant; `followed`, if the results are those of its `question`."
    )
    matching: int | None = Field(
        default=None,
        description="How many results match well: with at least half of the best score. Facets count these.",
    )
    groups: int | None = Field(default=None, description="How many groups the results make, where they are grouped.")
    sort: str = "relevance"
    sorts: tuple[str, ...] = ("relevance",)
    rerank: str = Field(default="", description="The reranker that has put the first results in order.")
    rerankers: tuple[str, ...] = Field(default=(), description="The rerankers of the server.")
    model: str = Field(default="", description="The model that was chosen in place of the first one.")
    models: tuple[str, ...] = Field(default=(), description="The models that can be chosen so.")


class FormulaPlace(Model):
    """A document that has a formula, and in which of its fields."""

    id: str
    title: tuple[PieceView, ...]
    fields: tuple[str, ...] = ()
    place: PlaceView
    page: str | None = Field(default=None, description="The page of the document where it is on another server.")
    count: int = Field(default=0, description="How often the document has it, where all of its places are listed.")
    passages: tuple[tuple[PieceView, ...], ...] = Field(default=(), description="The text around the first of them.")
    box: PageBox | None = Field(default=None, description="Where the first of them is in a PDF.")


class Occurrences(Model):
    """A page of the documents that have a formula, in the order of the index."""

    index: str
    generation: int
    formula: FormulaView
    parts: tuple[QueryPart, ...] = ()
    documents: int
    places: int
    page: int
    per_page: int
    hits: tuple[FormulaPlace, ...]
    missing: tuple[MissingIndex, ...] = Field(default=(), description="Indexes on servers that did not answer.")


class FormulaHitView(Model):
    """A formula that was found, and where it occurs."""

    rank: int
    score: float
    formula: FormulaView
    relation: Literal["identical", "renamed", "equal value", "instance", "similar"]
    documents: int
    places: tuple[FormulaPlace, ...]
    alignment: AlignmentView | None = None


class FormulaResults(Page):
    """Formulas that answer a question."""

    hits: tuple[FormulaHitView, ...]
    match: str = "any"
    documents_without: int | None = Field(
        None, description="Where no formula was found: how many documents the words alone find."
    )


class PatternHitView(Model):
    """A statement that matches a pattern."""

    rank: int
    id: str
    name: str
    statement: str = Field(description="The signature of a declaration, else the formula that matches.")
    kind: str = ""
    size: int
    place: PlaceView
    home: str | None = Field(default=None, description="The index that has it, where several are searched.")


class PatternResults(Model):
    """The smallest statements that match a pattern, and how many do."""

    index: str
    generation: int
    pattern: str
    total: int
    undecided: int = Field(description="Statements that were too large to be compared.")
    unchecked: tuple[str, ...] = Field(description="What a match does not say.")
    hints: tuple[str, ...] = ()
    seconds: float
    hits: tuple[PatternHitView, ...]
    missing: tuple[MissingIndex, ...] = Field(default=(), description="Indexes on servers that did not answer.")


class QuestionView(Model):
    """How a question is read, before anything is searched."""

    question: str
    parts: tuple[QueryPart, ...]
    notes: tuple[str, ...] = ()
    error: str | None = None


class TreeNode(Model):
    """A node of an operator tree."""

    label: str
    kind: str
    children: tuple[TreeNode, ...] = ()


class ParsedFormula(Model):
    """A formula in all notations, with its operator tree and what could not be read."""

    formula: FormulaView
    spoken: str
    layout: str
    operators: str
    tree: TreeNode | None = Field(default=None, description="None for a formula of very many parts.")
    svg: str = Field(default="", description="The operator tree, drawn.")
    problems: tuple[ParseProblem, ...] = ()


class Converted(Model):
    """A formula in one notation."""

    notation: str
    text: str
    problems: tuple[ParseProblem, ...] = ()


class EqualityStep(Model):
    """A step of an equality: a line of text, and the formula that it leads to, if any."""

    text: str
    formula: FormulaView | None = None


class DifferenceView(Model):
    """A point where two formulas differ: each variable with its value, and the number or the truth of both there."""

    point: tuple[tuple[FormulaView, FormulaView], ...]
    first: FormulaView
    second: FormulaView


class CommonPart(Model):
    """Parts of two formulas that have one value; ``renamed`` if only when variables have other names."""

    first: FormulaView
    second: FormulaView
    renamed: bool


class Equality(Model):
    """Whether two formulas are equal, in which sense, and why; of others, where they differ and what they share.

    ``conditional`` formulas are equal under the assumption that ``explanation`` names; of ``unknown`` ones no equality
    was found, and no point where they differ. Symbols of common parts are marked in ``first`` and ``second``.
    """

    relation: Relation
    equal: bool
    explanation: str
    first: FormulaView
    second: FormulaView
    steps: tuple[EqualityStep, ...] = ()
    names: tuple[tuple[FormulaView, FormulaView], ...] = Field(
        default=(), description="Variables that have another name in the second formula, with that name."
    )
    difference: DifferenceView | None = None
    common: tuple[CommonPart, ...] = ()


class Completion(Model):
    """Something that a question could go on with; ``text`` replaces what was typed from ``start`` on, and begins with
    it. A ``title`` is a whole result: the document ``id``. A ``command`` has what it looks like as its ``formula``."""

    kind: Literal["command", "word", "tag", "formula", "title"]
    text: str
    start: int
    documents: int
    formula: FormulaView | None = None
    id: str | None = None


class Completions(Model):
    """Completions of a question, best first."""

    question: str
    completions: tuple[Completion, ...]


class IndexView(Model):
    """An index that is served."""

    name: str
    documents: int
    generation: int
    fields: tuple[str, ...]
    channels: tuple[str, ...]
    metadata: tuple[str, ...]
    formulas: int
    ready: bool = Field(default=True, description="False while it still prepares what completes questions.")


class Health(Model):
    """Whether the server answers, and what it serves."""

    status: Literal["ok"]
    version: str
    indexes: tuple[IndexView, ...]


class Changed(Model):
    """What a request changed: all of it is committed, and found by searches."""

    index: str
    generation: int = Field(description="The commit.")
    written: int = Field(0, description="Documents added or replaced.")
    deleted: int = Field(0, description="Documents deleted; ids that the index does not have do not count.")
    problems: tuple[str, ...] = Field((), description="What was skipped or not understood.")


class ErrorBody(Model):
    """What went wrong: a stable ``code``, a sentence, and what to do next."""

    code: str
    message: str
    hint: str | None = None
    details: tuple[dict[str, Any], ...] = ()


class ErrorAnswer(Model):
    """The form of every error of the API."""

    error: ErrorBody
