"""The query of a formula search: one or several formulas, perhaps with the text around them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from porism.corpus import split_math
from porism.errors import OnProblem, Problem, QueryError
from porism.formula import detect_notation, notation_of, operator_string, operator_tree, parse, parse_latex, to_latex
from porism.formula.recognition.recognising import recognise_formulas
from porism.search.questions import MAX_QUERY_LENGTH
from porism.types import PLACEHOLDER, Content, Formula, Query

MAX_FORMULA_LENGTH = 20_000
"""Of a longer query formula only so many characters count."""

MAX_FORMULAS = 20
"""Of more formulas in one query, the longest so many count."""

FORMULA_FIELD = "formula"
"""The field of a topic that contains the query formula; its other fields are the context."""

_MAX_PROBLEMS = 3
_WORDS = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{3,}\s+[A-Za-z]{2,}(?![A-Za-z}])")
_DELIMITER = re.compile(r"\$|\\[()\[\]]")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class FormulaQuery:
    """The query formulas, any of which a result may answer, and the text around them if there is any."""

    formulas: tuple[Formula, ...]
    context: Query | None = None


def make_formula_query(question: str | Formula | Content | Query, on_problem: OnProblem | None = None) -> FormulaQuery:
    """A formula query from LaTeX, a ``<math>`` element, text with formulas between dollars, or a topic.

    A string without dollars (or ``\\(``, ``\\[``, a bare environment) is LaTeX as a whole. Where there are words beside
    formulas, the whole is the context. Of a topic with a field ``formula`` that field is the query, and the other
    fields are the context; of any other topic all formulas are.

    :param on_problem: receives the unparsed parts of the formulas, and what was left out.
    :raises QueryError: there is no formula in it, or it is longer than :data:`MAX_QUERY_LENGTH`.
    """
    report = on_problem or _ignore
    context: Query | None = None
    if isinstance(question, Formula):
        formulas: tuple[Formula, ...] = (question,)
    elif isinstance(question, Query):
        formulas, context = _of_topic(question)
    else:
        content = _content(question, report) if isinstance(question, str) else question
        formulas, context = _of_topic(Query("query", {"query": content}))
    usable = _usable(formulas, report)
    if not usable:
        raise QueryError("the query has no formula", hint=r"Ask with LaTeX, such as '$\sum_{i=1}^n i^2$', or MathML.")
    return FormulaQuery(usable, context)


def readable_topic(query: Query, on_problem: OnProblem | None) -> FormulaQuery | None:
    """The formula query of a topic; what is wrong with it is reported under its id, and None where there is none."""
    def report(problem: Problem) -> None:
        if on_problem is not None:
            on_problem(Problem(f"topic {query.id}", f"{problem.where}: {problem.what}"))

    try:
        return make_formula_query(query, report)
    except QueryError as error:
        report(Problem("query", error.what))
        return None


def read_formula_question(text: str) -> tuple[str | Content, list[str]]:
    """What a person typed for a formula search, and notes on how it was read.

    A text in a plain notation, such as a term of Lean or spoken English, is read in it where LaTeX would say something
    else. Where there are words beside formulas without dollars, the formulas are the query and the words are its
    context. Else it is the text as it is, which :func:`make_formula_query` takes for LaTeX as a whole.
    """
    if _DELIMITER.search(text) or notation_of(text) == "mathml":
        return text, []
    shown = text[:MAX_FORMULA_LENGTH]
    has_words = _WORDS.search(shown) is not None
    notation = detect_notation(shown)
    if notation != "latex" and (notation == "spoken" or not has_words):
        layout = parse(shown, notation)
        if operator_string(operator_tree(layout)) == operator_string(operator_tree(parse_latex(shown))):
            return text, []
        source = to_latex(layout)
        return Content.of(Formula(source)), [f"read as a formula: ${source}$"]
    guess = recognise_formulas(shown) if has_words else None
    if guess is None or not guess.formulas:
        return text, []
    return guess.content, [f"read as a formula: ${source}$" for source in guess.formulas]


def _ignore(problem: Problem) -> None:
    return None


def _content(text: str, report: OnProblem) -> Content:
    if len(text) > MAX_QUERY_LENGTH:
        raise QueryError(f"the query has {len(text):,} characters", hint=f"Ask with at most {MAX_QUERY_LENGTH:,}.")
    if notation_of(text) == "mathml":
        return Content.of(Formula(text.strip(), "mathml"))
    content = split_math(text)
    before = content.text.partition(PLACEHOLDER)[0]
    if content.formulas and before.count("{") <= before.count("}"):
        return content
    if content.formulas:  # dollars within a group: \frac{\text{if $n$ is}}{2}
        return Content.of(Formula(text.strip().replace(PLACEHOLDER, " ")))
    bare = _DELIMITER.sub(" ", text).strip()
    if bare != text.strip():
        report(Problem("query", "a delimiter of formulas has no partner; all of the text is taken for one formula"))
    elif _WORDS.search(text[:MAX_FORMULA_LENGTH]):
        report(Problem("query", "there is no formula between dollars; the words are taken for LaTeX"))
    return Content.of(Formula(bare.replace(PLACEHOLDER, " "))) if bare else Content("")


def _of_topic(query: Query) -> tuple[tuple[Formula, ...], Query | None]:
    formula_field = query.fields.get(FORMULA_FIELD)
    if formula_field is not None and formula_field.formulas:
        others = {name: content for name, content in query.fields.items() if name != FORMULA_FIELD and content}
        return formula_field.formulas, Query(query.id, others, query.metadata) if others else None
    formulas = tuple(formula for content in query.fields.values() for formula in content.formulas)
    words = any(_LETTER.search(content.text) for content in query.fields.values())
    return formulas, query if words else None


def _usable(formulas: tuple[Formula, ...], report: OnProblem) -> tuple[Formula, ...]:
    """The formulas that can be searched for, each once; what is wrong with them is reported."""
    distinct = list({(formula.notation, formula.source.strip()): formula for formula in formulas}.values())
    if len(distinct) > MAX_FORMULAS:
        report(Problem("query", f"of its {len(distinct)} formulas the {MAX_FORMULAS} longest count"))
        longest = sorted(distinct, key=lambda formula: -len(formula.source))[:MAX_FORMULAS]
        distinct = [formula for formula in distinct if formula in longest]
    usable: list[Formula] = []
    for formula in distinct:
        where = f"formula {_short(formula.source)!r}"
        if len(formula.source) > MAX_FORMULA_LENGTH:
            report(Problem(
                where, f"has {len(formula.source):,} characters, of which the first {MAX_FORMULA_LENGTH:,} count"
            ))
            formula = Formula(formula.source[:MAX_FORMULA_LENGTH], formula.notation, formula.id, formula.visual_id)
        layout = parse(formula)
        if not layout.row:
            if formula.source.strip():
                report(Problem(where, "there is nothing in it that could be searched for"))
            continue
        for problem in sorted(layout.problems, key=lambda problem: problem.position)[:_MAX_PROBLEMS]:
            report(Problem(where, f"character {problem.position}: {problem.what}"))
        if len(layout.problems) > _MAX_PROBLEMS:
            report(Problem(where, f"{len(layout.problems) - _MAX_PROBLEMS} more things were not understood"))
        if operator_tree(layout).root.kind == "W":
            report(Problem(where, "is only a wildcard, which matches any formula"))
        usable.append(formula)
    return tuple(usable)


def _short(source: str) -> str:
    line = " ".join(source[:200].split())
    return line if len(line) <= 40 else f"{line[:39]}…"
