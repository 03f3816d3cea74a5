"""Queries, runs and judgments as PyTerrier's tables: https://pyterrier.readthedocs.io/en/latest/datamodel.html."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np

from porism.corpus import split_math
from porism.errors import FormatError, QueryError
from porism.extras import need
from porism.formula import parse_mathml, to_latex
from porism.lab.pipeline.protocols import check_queries
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.types import PLACEHOLDER, Content, Formula, Query

if TYPE_CHECKING:
    import pandas as pd

TUNED_ON = "porism.tuned_on"
"""Among the attributes of a table of results: the topics that these were tuned on."""

_heard: ContextVar[list[Provenance] | None] = ContextVar("heard", default=None)

FIELD = "query_"
"""What the column of a query's field begins with: so PyTerrier takes it for a column of the query."""


def _pandas() -> Any:
    """The library of tables."""
    return need("pandas", "pyterrier", "the PyTerrier adapter")


@contextmanager
def listening() -> Iterator[list[Provenance]]:
    """Collects where all results come from that Porism's transformers give meanwhile.

    What PyTerrier makes of their tables (sums, joins, cutoffs) says nothing of it; so it is heard at the source.
    """
    heard: list[Provenance] = []
    token = _heard.set(heard)
    try:
        yield heard
    finally:
        _heard.reset(token)


def noted(frame: pd.DataFrame, run: Run) -> pd.DataFrame:
    """The table of a run's results, which now says what these were tuned on, and listeners are notified."""
    heard = _heard.get()
    if run.provenance is not None and heard is not None:
        heard.append(run.provenance)
    frame.attrs = {name: value for name, value in frame.attrs.items() if name != TUNED_ON}
    if run.provenance is not None and run.provenance.tuned_on:
        frame.attrs[TUNED_ON] = run.provenance.tuned_on
    return frame


def query_text(content: Content) -> str:
    """Content as text with formulas in LaTeX between dollars; other dollars are escaped, so that it reads back."""
    parts: list[str] = []
    for part in content.parts:
        if isinstance(part, str):
            parts.append(part.replace("$", r"\$"))
        else:
            parts.append(_formula_text(part))
    return "".join(parts)


def _formula_text(formula: Formula) -> str:
    """A formula between delimiters from which it is read again; between dollars where it can be."""
    source = to_latex(parse_mathml(formula.source)) if formula.notation == "mathml" else formula.source
    ways = (r"$$%s$$", r"\[%s\]", "$$%s $$") if formula.display else ("$%s$", r"\(%s\)", "$%s $")
    texts = [way % source for way in ways]
    read = (split_math(text) for text in texts)
    sound = (
        text for text, content in zip(texts, read, strict=True)
        if content.text == PLACEHOLDER and content.formulas[0].source.strip() == source.strip()
    )
    return next(sound, texts[-1])


def queries_to_frame(queries: Iterable[Query]) -> pd.DataFrame:
    """Queries as a DataFrame: ``qid``, ``query`` (the whole text, formulas between dollars) and, where a query has
    other fields than ``query``, each of them in a column ``query_<field>``.

    :raises MissingExtra: pandas is not installed.
    :raises QueryError: two queries have one id.
    """
    pd = _pandas()
    checked = check_queries(queries)
    fields = list(dict.fromkeys(name for query in checked for name in query.fields if name != "query"))
    columns = {"qid": [query.id for query in checked], "query": [query_text(query.content) for query in checked]}
    for name in fields:
        columns[f"{FIELD}{name}"] = [query_text(query.fields.get(name, Content(""))) for query in checked]
    return pd.DataFrame({name: pd.Series(values, dtype=str) for name, values in columns.items()})


def queries_from_frame(frame: pd.DataFrame, fields: Sequence[str] = ()) -> list[Query]:
    """The queries of a DataFrame with ``qid`` and ``query``, or with a column ``query_<field>`` for each field named.

    :raises MissingExtra: pandas is not installed.
    :raises QueryError: a column is missing, a query has no id or no text, or two have one id.
    """
    _pandas()
    columns = query_columns(fields)
    _check_columns(frame, ["qid", *columns], QueryError)
    texts = [frame[column].tolist() for column in columns]
    queries = []
    for query_id, *values in zip(ids(frame, "qid"), *texts, strict=True):
        content: dict[str, Content] = {}
        for column, value in zip(columns, values, strict=True):
            if not isinstance(value, str):
                raise QueryError(f"{value!r} is not a text", where=f"query {query_id}, column {column!r}")
            content[column.removeprefix(FIELD)] = split_math(value)
        queries.append(Query(query_id, content))
    return check_queries(queries)


def query_columns(fields: Sequence[str]) -> list[str]:
    """The columns that hold a query."""
    return [f"{FIELD}{name}" for name in fields] or ["query"]


def run_to_frame(run: Run) -> pd.DataFrame:
    """A run as a DataFrame: ``qid``, ``docno``, ``score`` (float64) and ``rank`` (int64, from 0).

    :raises MissingExtra: pandas is not installed.
    """
    return noted(_pandas().DataFrame(result_columns(run)), run)


def result_columns(run: Run) -> dict[str, Any]:
    """The columns of a run's results: ``qid``, ``docno``, ``score`` and ``rank``."""
    pd, counts = _pandas(), np.diff(run.offsets)
    query_ids = np.repeat(np.array(run.query_ids, object), counts).tolist()
    return {
        "qid": pd.Series(query_ids, dtype=str), "docno": pd.Series(list(run.doc_ids), dtype=str),
        "score": run.scores.copy(),
        "rank": np.arange(len(run.doc_ids), dtype=np.int64) - np.repeat(run.offsets[:-1], counts),
    }


def run_from_frame(frame: pd.DataFrame, name: str = "pyterrier", query_ids: Sequence[str] = ()) -> Run:
    """The run of a DataFrame with ``qid``, ``docno`` and ``score``, by the scores and the tie rule. Queries named by
    ``query_ids`` have a ranking, if an empty one, and come first.

    :raises MissingExtra: pandas is not installed.
    :raises FormatError: a column is missing, a score is not a finite number, or a document occurs twice for a query.
    """
    _pandas()
    _check_columns(frame, ["qid", "docno", "score"], FormatError)
    try:
        scores = frame["score"].to_numpy(np.float64)
    except (TypeError, ValueError) as error:
        raise FormatError(f"the scores are not numbers ({error})", where=name) from error
    results: dict[str, list[tuple[str, float]]] = {query_id: [] for query_id in query_ids}
    for query_id, doc_id, score in zip(ids(frame, "qid"), ids(frame, "docno"), scores.tolist(), strict=True):
        if not math.isfinite(score):
            raise FormatError(f"the score of document {doc_id!r} is {score}", where=f"{name}, query {query_id}")
        results.setdefault(query_id, []).append((doc_id, score))
    tuned_on = frame.attrs.get(TUNED_ON, ())
    return Run(results, name, provenance=Provenance({"kind": "table"}, tuned_on) if tuned_on else None)


def qrels_to_frame(qrels: Mapping[str, Mapping[str, int]]) -> pd.DataFrame:
    """Judgments (:func:`porism.read_qrels`) as a DataFrame: ``qid``, ``docno`` and ``label`` (int64).

    :raises MissingExtra: pandas is not installed.
    """
    pd = _pandas()
    rows = [(query_id, doc_id, gain) for query_id, judged in qrels.items() for doc_id, gain in judged.items()]
    query_ids, doc_ids, gains = zip(*rows, strict=True) if rows else ((), (), ())
    return pd.DataFrame({
        "qid": pd.Series(list(query_ids), dtype=str), "docno": pd.Series(list(doc_ids), dtype=str),
        "label": np.array(gains, np.int64),
    })


def ids(frame: pd.DataFrame, column: str) -> list[str]:
    """A column of ids as strings.

    :raises QueryError: an id is missing or empty.
    """
    missing = _pandas().NA
    values = frame[column].tolist()
    for row, value in enumerate(values):
        if value is None or value == "" or (isinstance(value, float) and math.isnan(value)) or value is missing:
            raise QueryError(f"row {row} has no {column!r}")
    return [value if isinstance(value, str) else str(value) for value in values]


def _check_columns(frame: pd.DataFrame, wanted: Sequence[str], error: type[QueryError] | type[FormatError]) -> None:
    missing = [column for column in wanted if column not in frame.columns]
    if missing:
        raise error(
            f"the table has no column {', '.join(map(repr, missing))}", hint=f"It has {', '.join(map(repr, frame))}."
        )
