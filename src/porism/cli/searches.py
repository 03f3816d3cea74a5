"""``porism search`` and ``porism similar``: ask an index."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from porism.cli.options import (
    Indexes,
    color_option,
    filter_option,
    folders,
    is_address,
    json_option,
    model_option,
    open_with_model,
    print_json,
    searched_indexes_option,
    seconds_option,
)
from porism.cli.terminal import echo
from porism.search.printable import one_printable_line

if TYPE_CHECKING:
    from porism.explanation import Explanation
    from porism.search.answering import Answer
    from porism.search.answers import Hit

_QUOTES = "In double quotes the shell takes $x for one of its variables: put the question between single quotes"

_NO_FORMULAS = "--rerank does not work with --formulas."

MATCHED_HITS = 100
"""For at most so many hits a list of formulas marks what matches."""


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="QUESTION")
@searched_indexes_option
@click.option("--formulas", is_flag=True, help="Find formulas, not documents: QUESTION is LaTeX or MathML.")
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="How many results.")
@filter_option
@json_option
@color_option
@click.option("--explain", is_flag=True, help="Show what each score is made of.")
@click.option("--show", type=click.Choice(["unicode", "latex"]), default="unicode", show_default=True,
              help="How to show formulas.")
@click.option("--relevant", multiple=True, metavar="ID",
              help="A document that answers the question: learn from it what to search for.")
@click.option("--not-relevant", multiple=True, metavar="ID", help="A document that does not answer the question.")
@click.option("--rerank", "rerankers", multiple=True, metavar="NAME[:SETTING=VALUE;...]",
              help="Put the first results in a better order, by a trained model, a kind of reranker, another model of "
                   "search, or FILE.toml. Several follow one another.")
@click.option("--depth", type=click.IntRange(min=1), metavar="N",
              help="How many results are re-ranked.  [default: 100; 50 where pairs are compared]")
@model_option
@seconds_option
def search(
    words: tuple[str, ...], indexes: Indexes, formulas: bool, k: int, filters: tuple[str, ...], as_json: bool,
    explain: bool, show: str, relevant: tuple[str, ...], not_relevant: tuple[str, ...], rerankers: tuple[str, ...],
    depth: int | None, model_name: str, seconds: float,
) -> None:
    """Find documents by words and formulas: porism search 'why does $\\sum 1/n^2$ converge?'

    Several --index are searched as one index; those of servers (http://...) answer by their own statistics, added up.

    Put formulas between dollars, and the question between single quotes, in which the shell leaves dollars alone.
    What is clearly a formula is read as one without dollars too. "Words between double quotes", within the single
    ones, must occur in a document as they are; title:word must occur in its title, and so for other fields.

    porism open N opens result N. With --json, prints one array of objects with rank, id, score, title and snippet (each
    as text, and in pieces that say what matches), location and metadata; with --explain each also has its explanation,
    and how formulas of the document match those of the question.

    With --formulas the results are formulas, each with the places where it is; with --json, objects with rank,
    score, key, latex, text, mathml, documents and places, and with --explain a match.

    --relevant and --not-relevant, which can be given several times, name documents of an earlier answer, of servers
    too; others like the relevant ones move up, and others like those that are not move down.

    --rerank has the first results read again by a slower model: --rerank cross, --rerank 'cross:first_stage=0.5'. With
    --explain each result shows what the reranker and the search before it gave the document.
    """
    question = " ".join(words)
    if depth is not None and not rerankers:
        raise click.UsageError("--depth works with --rerank only.")
    if formulas and (relevant or not_relevant):
        raise click.UsageError("--relevant and --not-relevant do not work with --formulas.")
    if any(is_address(one) for one in indexes):
        if rerankers and formulas:
            raise click.UsageError(_NO_FORMULAS)
        if formulas:
            _search_formulas_of_shards(question, indexes, k, filters, as_json, explain, show, model_name, seconds)
        else:
            _search_shards(
                question, indexes, k, filters, as_json, explain, relevant, not_relevant, rerankers, depth, model_name,
                seconds,
            )
        return
    if formulas:
        if rerankers:
            raise click.UsageError(_NO_FORMULAS)
        _search_formulas(question, indexes, k, filters, as_json, explain, show, model_name)
    else:
        _search_documents(
            question, indexes, k, filters, as_json, explain, show, relevant, not_relevant, rerankers, depth,
            model_name,
        )


@click.command()
@click.argument("doc_id")
@searched_indexes_option
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="How many results.")
@filter_option
@json_option
@color_option
@click.option("--explain", is_flag=True, help="Show what each score is made of.")
@click.option("--show", type=click.Choice(["unicode", "latex"]), default="unicode", show_default=True,
              help="How to show formulas.")
@click.option("--terms", type=click.IntRange(min=1), default=80, show_default=True,
              help="The most telling terms of the document that count, in each channel.")
@click.option("--field", "fields", multiple=True, metavar="NAME", help="A field of the document that counts; all if "
              "not given.")
@click.option("--with", "other", metavar="DOC_ID", help="Compare with this document alone: every pair of terms that "
              "match, exactly or by similarity.")
@model_option
def similar(
    doc_id: str, indexes: Indexes, k: int, filters: tuple[str, ...], as_json: bool, explain: bool, show: str,
    terms: int, fields: tuple[str, ...], other: str | None, model_name: str,
) -> None:
    """Find documents like one of the index, by its words and formulas: porism similar 123456

    The document itself is left out. With --json, prints what porism search prints. With --with, prints what makes up
    the likeness of two documents: the terms that both have, and in a soft model also those that are similar.
    """
    from porism.cli.last_search import remember_search
    from porism.retrieve.documents.more_like_this import MoreLikeThisSettings
    from porism.search.answering import answer_similar
    from porism.search.index import filters_from_strings

    likeness = MoreLikeThisSettings(terms=terms, fields=fields)
    with open_with_model(folders(indexes), model_name, formulas=False) as index:
        if other is not None:
            _print_likeness(doc_id, other, index.explain_likeness(doc_id, other, likeness=likeness), as_json)
            return
        found = answer_similar(
            index, doc_id, k, filters=filters_from_strings(filters), formulas=show,  # type: ignore[arg-type]
            settings=likeness, explain=explain,
        )
    lines = {hit.id: hit.location.line for hit in found.hits}
    remember_search(folders(indexes), f"like {doc_id}", list(lines), lines=lines)
    _print(found, as_json, "No other document shares a telling word or part of a formula with it.")


def _print_likeness(doc_id: str, other: str, explanation: Explanation, as_json: bool) -> None:
    """Prints what makes up the likeness of two documents."""
    from porism.search.highlighting import short_lines

    if as_json:
        print_json({"id": doc_id, "with": other, "explanation": explanation.to_dict()})
        return
    for line in short_lines(explanation):
        echo(line)


def _search_documents(
    question: str, indexes: Indexes, k: int, filters: tuple[str, ...], as_json: bool, explain: bool, show: str,
    relevant: tuple[str, ...], not_relevant: tuple[str, ...], rerankers: tuple[str, ...], depth: int | None,
    model_name: str,
) -> None:
    from porism.cli.last_search import remember_search
    from porism.search.answering import answer
    from porism.search.index import filters_from_strings

    given: dict[str, Any] = {
        "filters": filters_from_strings(filters), "formulas": show, "relevant": relevant, "not_relevant": not_relevant,
        "explain": explain,
    }
    with open_with_model(folders(indexes), model_name, formulas=False) as index:
        if rerankers:
            from porism.cli.reranking import named_rerankers
            from porism.lab.pipeline.answering import answer_reranked

            with named_rerankers(index, rerankers, depth) as opened:
                found = answer_reranked(index, question, opened, k, **given)
        else:
            found = answer(index, question, k, **given)
    lines = {hit.id: hit.location.line for hit in found.hits}
    remember_search(folders(indexes), question, list(lines), lines=lines)
    _print(found, as_json, "Nothing found: no document has what the question demands." if found.restricted else None)


def _search_shards(
    question: str, indexes: Indexes, k: int, filters: tuple[str, ...], as_json: bool, explain: bool,
    relevant: tuple[str, ...], not_relevant: tuple[str, ...], rerankers: tuple[str, ...], depth: int | None,
    model_name: str, seconds: float,
) -> None:
    from porism.cli.first_use import compile_once
    from porism.cli.last_search import remember_search
    from porism.cli.render import print_hits
    from porism.search.index import filters_from_strings
    from porism.search.models.models import read_model
    from porism.serve.web.remote_shards import open_shards

    compile_once()
    together = open_shards(indexes, read_model(model_name), seconds=seconds)
    given: dict[str, Any] = {
        "filters": filters_from_strings(filters), "explain": explain, "relevant": relevant,
        "not_relevant": not_relevant,
    }
    if rerankers:
        from porism.cli.reranking import named_rerankers
        from porism.lab.pipeline.rerankers.texts import GivenDocuments
        from porism.serve.shards.reranked import answer_reranked_together

        here = next((one for one in indexes if not is_address(one)), None)
        documents = GivenDocuments(None if here is None else str(here))
        with named_rerankers(documents, rerankers, depth) as opened:
            found = answer_reranked_together(together, documents, question, opened, k, **given)
    else:
        found = together.search(question, k, **given)
    remember_search(indexes, question, [hit.id for hit in found.hits], found.pages)
    _print_hints([*found.hints, *(f"{one}. The answer is partial" for one in found.missing)])
    if as_json:
        print_json(found.to_dict())
    elif found.hits:
        print_hits(found.hits)
    else:
        echo("Nothing found.")


def _search_formulas_of_shards(
    question: str, indexes: Indexes, k: int, filters: tuple[str, ...], as_json: bool, explain: bool, show: str,
    model_name: str, seconds: float,
) -> None:
    from porism.cli.first_use import compile_once
    from porism.cli.formula_render import print_formula_hits, shown_places
    from porism.cli.last_search import remember_search
    from porism.cli.progress import one_line
    from porism.search.formula_queries import read_formula_question
    from porism.search.index import filters_from_strings
    from porism.search.models.models import read_model
    from porism.serve.web.remote_shards import open_shards

    compile_once()
    together = open_shards(indexes, formula_model=read_model(model_name, formulas=True), seconds=seconds)
    content, notes = read_formula_question(question)
    found = together.search_formulas(
        content, k, filters=filters_from_strings(filters), explain=explain or (not as_json and k <= MATCHED_HITS),
        on_problem=lambda problem: echo(one_line(problem), err=True),
    )
    ids = [hit.places[0].doc_id if hit.places else "" for hit in found.hits]
    pages = {place.doc_id: one.page for place, one in found.documents.items() if one.page is not None}
    remember_search(indexes, question, ids, pages)
    _print_hints([*notes, *(f"{one}. The answer is partial" for one in found.missing)])
    if as_json:
        print_json(found.to_dict())
    else:
        print_formula_hits(found.hits, explain, show, shown_places(found.hits, found.location))


def _print_hints(hints: Iterable[str]) -> None:
    """Prints what there is to say of the question, a line each, on standard error."""
    from porism.search.questions import LOST_BASE, NO_PARTNER

    for hint in hints:
        line = one_printable_line(f"{hint}. {_QUOTES}" if hint in (NO_PARTNER, LOST_BASE) else hint)
        echo(f"{line[:1].upper()}{line[1:]}{'' if line.endswith(('.', '?')) else '.'}", err=True)


def _print(found: Answer[Hit], as_json: bool, nothing: str | None = None) -> None:
    """Prints an answer; ``nothing`` is what it says where it has no hits."""
    _print_hints(found.hints)
    if as_json:
        print_json(found.to_dict()["hits"])
    elif nothing and not found.hits:
        echo(nothing)
    else:
        from porism.cli.render import print_hits

        print_hits(found.hits)


def _search_formulas(
    question: str, indexes: Indexes, k: int, filters: tuple[str, ...], as_json: bool, explain: bool, show: str,
    model_name: str,
) -> None:
    from porism.cli.formula_render import print_formula_hits, shown_places
    from porism.cli.last_search import remember_search
    from porism.cli.progress import one_line
    from porism.search.answering import answer_formulas
    from porism.search.index import filters_from_strings

    with open_with_model(folders(indexes), model_name, formulas=True) as index:
        found = answer_formulas(
            index, question, k, filters=filters_from_strings(filters),
            explain=explain or (not as_json and k <= MATCHED_HITS),
            on_problem=lambda problem: echo(one_line(problem), err=True),
        )
        places = {} if as_json else shown_places(
            found.hits, lambda place: index.location(place.doc_id, place.field, place.number)
        )
    _print_hints(found.hints)
    remember_search(folders(indexes), question, [hit.places[0].doc_id if hit.places else "" for hit in found.hits])
    if as_json:
        print_json(found.to_dict()["hits"])
    else:
        print_formula_hits(found.hits, explain, show, places)
