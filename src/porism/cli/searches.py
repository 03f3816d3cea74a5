"""``porism search`` and ``porism similar``: ask an index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from porism.cli.options import (
    Indexes,
    all_options,
    color_option,
    filter_option,
    folders,
    is_address,
    json_option,
    model_option,
    open_searched,
    open_with_model,
    print_json,
    searched_indexes_option,
    seconds_option,
)
from porism.cli.progress import one_line
from porism.cli.render import SHOWN_PLACES, print_formula_hits
from porism.cli.terminal import echo
from porism.search.printable import one_printable_line

if TYPE_CHECKING:
    from porism.explanation import Explanation
    from porism.search.answering import Answerer, Reranking
    from porism.search.answers import Answer, FormulaHit, Hit

_QUOTES = "In double quotes the shell takes $x for one of its variables: put the question between single quotes"

MATCHED_HITS = 100
"""For at most so many hits a list of formulas marks what matches."""

hits_options = all_options(
    click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="How many results."),
    filter_option, json_option, color_option,
    click.option("--explain", is_flag=True, help="Show what each score is made of."),
    click.option("--show", type=click.Choice(["unicode", "latex"]), default="unicode", show_default=True,
                 help="How to show formulas."),
)
"""The options of commands that print hits."""


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="QUESTION")
@searched_indexes_option
@click.option("--formulas", is_flag=True, help="Find formulas, not documents: QUESTION is LaTeX or MathML.")
@hits_options
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
    from porism.cli.last_search import remember_search
    from porism.cli.render import print_hits
    from porism.search.answering import IndexAnswers, SearchOptions
    from porism.search.index import Index, filters_from_strings

    question = " ".join(words)
    if depth is not None and not rerankers:
        raise click.UsageError("--depth works with --rerank only.")
    if formulas and (relevant or not_relevant):
        raise click.UsageError("--relevant and --not-relevant do not work with --formulas.")
    if formulas and rerankers:
        raise click.UsageError("--rerank does not work with --formulas.")
    remote = any(map(is_address, indexes))
    options = SearchOptions(
        k, filters=filters_from_strings(filters), explain=explain, relevant=relevant, not_relevant=not_relevant,
        formulas=show,  # type: ignore[arg-type]
    )
    answer: Answer[Hit] | Answer[FormulaHit]
    with open_searched(indexes, model_name, formulas, seconds) as opened:
        searcher = IndexAnswers(opened) if isinstance(opened, Index) else opened
        if formulas:
            marks = not as_json and k <= MATCHED_HITS
            options = replace(options, explain=explain or marks, documents=0 if as_json else SHOWN_PLACES)
            answer = listed = searcher.answer_formulas(
                question, options, lambda problem: echo(one_line(problem), err=True)
            )
            ids = [hit.places[0].doc_id if hit.places else "" for hit in listed.hits]
            pages = {document.id: document.page for hit in listed.hits for document in hit.shown}
            lines = {}
            show_hits = partial(print_formula_hits, listed.hits, explain, show)
        else:
            with _reranking(searcher, indexes, rerankers, depth) as rerank:
                answer = ranked = searcher.answer(question, replace(options, rerank=rerank))
            ids = [hit.id for hit in ranked.hits]
            pages = {hit.id: hit.page for hit in ranked.hits}
            lines = {hit.id: hit.location.line for hit in ranked.hits}
            show_hits = partial(print_hits, ranked.hits)
    _print_hints([*answer.hints, *(f"{missing}. The answer is partial" for missing in answer.missing)])
    on_servers = {doc_id: page for doc_id, page in pages.items() if page is not None}
    remember_search(indexes if remote else folders(indexes), question, ids, on_servers, lines)
    if as_json:
        print_json(answer.to_dict() if remote else answer.to_dict()["hits"])
    elif answer.restricted and not answer.hits:
        echo("Nothing found: no document has what the question demands.")
    else:
        show_hits()


@contextmanager
def _reranking(
    searcher: Answerer, indexes: Indexes, names: tuple[str, ...], depth: int | None
) -> Iterator[Reranking | None]:
    """The rerankers of these names, None for none."""
    if not names:
        yield None
        return
    from porism.cli.reranking import named_rerankers
    from porism.lab.pipeline.rerankers.explaining import RerankerChain
    from porism.lab.pipeline.rerankers.texts import GivenDocuments
    from porism.search.answering import IndexAnswers

    here = next((str(index) for index in indexes if not is_address(index)), None)
    given = None if isinstance(searcher, IndexAnswers) else GivenDocuments(here)
    source = searcher.index if isinstance(searcher, IndexAnswers) else given
    assert source is not None
    with named_rerankers(source, names, depth) as opened:
        yield RerankerChain(opened, given)


@click.command()
@click.argument("doc_id")
@searched_indexes_option
@hits_options
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
    from porism.cli.render import print_hits
    from porism.retrieve.documents.more_like_this import MoreLikeThisSettings
    from porism.search.answering import IndexAnswers, SearchOptions
    from porism.search.index import filters_from_strings

    likeness = MoreLikeThisSettings(terms=terms, fields=fields)
    options = SearchOptions(
        k, filters=filters_from_strings(filters), explain=explain, formulas=show,  # type: ignore[arg-type]
    )
    with open_with_model(folders(indexes), model_name, formulas=False) as index:
        if other is not None:
            _print_likeness(doc_id, other, index.explain_likeness(doc_id, other, likeness=likeness), as_json)
            return
        answer = IndexAnswers(index).answer_similar(doc_id, options, likeness)
    lines = {hit.id: hit.location.line for hit in answer.hits}
    remember_search(folders(indexes), f"like {doc_id}", list(lines), lines=lines)
    _print_hints(answer.hints)
    if as_json:
        print_json(answer.to_dict()["hits"])
    elif answer.hits:
        print_hits(answer.hits)
    else:
        echo("No other document shares a telling word or part of a formula with it.")


def _print_likeness(doc_id: str, other: str, explanation: Explanation, as_json: bool) -> None:
    """Prints what makes up the likeness of two documents."""
    from porism.search.highlighting import short_lines

    if as_json:
        print_json({"id": doc_id, "with": other, "explanation": explanation.to_dict()})
        return
    for line in short_lines(explanation):
        echo(line)


def _print_hints(hints: Iterable[str]) -> None:
    """Prints what there is to say of the question, a line each, on standard error."""
    from porism.search.questions import LOST_BASE, NO_PARTNER

    for hint in hints:
        line = one_printable_line(f"{hint}. {_QUOTES}" if hint in (NO_PARTNER, LOST_BASE) else hint)
        echo(f"{line[:1].upper()}{line[1:]}{'' if line.endswith(('.', '?')) else '.'}", err=True)
