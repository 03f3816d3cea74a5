"""Topics of evaluation campaigns, what is known of them, and relevance judgments, in all the formats in use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import orjson

from porism.corpus.base import clean, ignore_problem
from porism.corpus.formula_sources import strip_delimiters
from porism.corpus.mathtext import split_math
from porism.corpus.posts.threads import body_content, inline_content, tag_names
from porism.corpus.streams import byte_lines, check_source, open_seekable
from porism.corpus.tables.cells import read_rows
from porism.errors import FormatError, OnProblem, pluralise
from porism.system.files.text import decimal_number, whole_number
from porism.types import PLACEHOLDER, Content, Formula, Query

_EXPECTED = "topics: ARQMath XML, JSON lines, or lines of an id, a tab, and a text or formula"
_ID_KEYS = ("id", "_id", "qid", "query_id", "topic", "number", "topic_id")
_FIELDS = ("formula", "title", "question", "query", "text", "body", "tags")
_FORMULA_TOPIC = re.compile(r"NTCIR\d*-?Math", re.IGNORECASE)
_DELIMITED = re.compile(r"\$|\\[(\[]")
_COMMAND = re.compile(r"\\[A-Za-z]+|[\^_{}]")
_TWO_WORDS = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{2,}\s+[A-Za-z]{2,}(?![A-Za-z}])")

TopicText = Literal["auto", "text", "formula"]


def read_topics(path: str | Path, *, content: TopicText = "auto", on_problem: OnProblem | None = None) -> list[Query]:
    """Reads the topics of a file, in its order.

    ==============================  ================================================================================
    format                          fields of the queries
    ==============================  ================================================================================
    ARQMath Task 1 (XML)            ``title``, ``question``, ``tags``
    ARQMath Task 2 (XML)            ``formula`` (the query, with its id), ``title``, ``question``, ``tags``
    NTCIR-12 (id, tab, LaTeX)       ``formula``; wildcards (``\\qvar{…}``) stay as they are
    id, tab, text                   ``query``
    JSON lines                      ``query``, or those of ``formula title question text body tags`` that are there
    ==============================  ================================================================================

    Metadata holds ``tags`` as a tuple and ``formula_id``, where a topic has them.

    :param content: the text after the tab; ``auto`` takes it for a formula in NTCIR topics, and elsewhere where it
        has commands of LaTeX and neither dollars nor two words in a row.
    :raises SourceError: the file is missing, empty or unreadable.
    :raises FormatError: a topic is broken, has no id, or has the id of another one.
    """
    path = Path(path)
    report = on_problem or ignore_problem
    check_source(path, _EXPECTED)
    with open_seekable(path, report) as file:
        start = file.read(256).lstrip(b"\xef\xbb\xbf \t\r\n")
        file.seek(0)
        if start.startswith(b"<"):
            topics = _xml_topics(file.read(), path, report)
        elif start.startswith(b"{"):
            topics = _json_topics(_lines(path, report), path, report)
        else:
            topics = _tab_topics(_lines(path, report), path, content, report)
        by_id: dict[str, Query] = {}
        for where, topic in topics:
            if not topic.id:
                raise FormatError("a topic has no id", where=where)
            if topic.id in by_id:
                raise FormatError(f"the topic {topic.id} occurs twice", where=where)
            by_id[topic.id] = topic
    if not by_id:
        raise FormatError("there are no topics", where=str(path), hint=f"Expected {_EXPECTED}")
    return list(by_id.values())


def read_topic_information(path: str | Path) -> dict[str, dict[str, str]]:
    """Reads what is known of each topic: topic id → column → value.

    The first column holds the ids; the names of the others are in lower case (``category``, ``difficulty``,
    ``dependency`` in ARQMath's files).

    :raises SourceError: the file is missing, empty or unreadable.
    :raises FormatError: a row has another number of cells than the header, or an id occurs twice.
    """
    path = Path(path)
    check_source(path, "a CSV file with a header")
    information: dict[str, dict[str, str]] = {}
    header: list[str] | None = None
    with open_seekable(path, ignore_problem) as file:
        for line, _, _, cells in read_rows(file, path.name, ignore_problem, tabbed=path.suffix == ".tsv"):
            where = f"{path}:{line}"
            if header is None:
                header = [" ".join(cell.lower().split()) for cell in cells]
                continue
            if len(cells) != len(header):
                raise FormatError(f"a row has {len(cells)} cells and not {len(header)}", where=where)
            topic = cells[0].strip()
            if topic in information:
                raise FormatError(f"the topic {topic} occurs twice", where=where)
            information[topic] = {name: cell.strip() for name, cell in zip(header[1:], cells[1:], strict=True)}
    return information


def read_qrels(path: str | Path) -> dict[str, dict[str, int]]:
    """Reads relevance judgments: query id → document id → gain.

    Each line has a query id, an unused column (``0``, ``Q0``, ``xxx``), a document id and a gain (``2`` or ``2.0``),
    between tabs or spaces; empty lines do not count.

    :raises SourceError: the file is missing, empty or unreadable.
    :raises FormatError: a line has other columns, its gain is not a whole number, or a document is judged twice with
        different gains.
    """
    path = Path(path)
    hint = "Expected lines of query id, 0, document id, gain"
    check_source(path, "relevance judgments (query id, 0, document id, gain)")
    qrels: dict[str, dict[str, int]] = {}
    for where, text in _lines(path, ignore_problem):
        columns = text.split()
        if len(columns) != 4 and "\t" in text:
            columns = [column.strip() for column in text.split("\t")]
        if not any(columns):
            continue
        if len(columns) != 4:
            raise FormatError(f"a line has {pluralise(len(columns), 'column')} and not 4", where=where, hint=hint)
        query, _, document, written = columns
        if not query or not document:
            raise FormatError("a line has no query id or no document id", where=where, hint=hint)
        gain = _gain(written)
        if gain is None:
            raise FormatError(f"the gain {written[:40]!r} is not a whole number", where=where, hint=hint)
        judged = qrels.setdefault(query, {})
        if judged.setdefault(document, gain) != gain:
            raise FormatError(
                f"the document {document} is judged {judged[document]} and {gain} for {query}", where=where,
                hint="Keep one of the two lines",
            )
    if not qrels:
        raise FormatError("there are no judgments", where=str(path), hint=hint)
    return qrels


def _gain(written: str) -> int | None:
    try:
        return whole_number(written)
    except ValueError:
        pass
    try:
        value = decimal_number(written)
    except ValueError:
        return None
    return int(value) if value.is_integer() else None


def _lines(path: Path, on_problem: OnProblem) -> Iterator[tuple[str, str]]:
    """(file:line, text) of each line that is not blank.

    :raises FormatError: a line is not UTF-8.
    """
    with open_seekable(path, on_problem) as file:
        for line, _, data in byte_lines(file, path.name, on_problem):
            where = f"{path}:{line}"
            try:
                text = data.decode("utf-8-sig" if line == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise FormatError(
                    f"byte {error.start + 1} of the line is not UTF-8", where=where, hint="Convert the file to UTF-8"
                ) from None
            if text.strip():
                yield where, text


def _tab_topics(
    lines: Iterator[tuple[str, str]], path: Path, content: TopicText, on_problem: OnProblem
) -> Iterator[tuple[str, Query]]:
    for where, line in lines:
        topic, tab, text = line.partition("\t")
        topic, text = topic.strip(), text.strip()
        if not tab or not text:
            raise FormatError("a line is not an id, a tab and a text", where=where, hint=f"Expected {_EXPECTED}")
        as_formula = content == "formula" or (content == "auto" and _is_formula(topic, text))
        if as_formula:
            yield where, Query(topic, {"formula": _formula(text)})
        else:
            yield where, Query(topic, {"query": split_math(text, where=where, on_problem=on_problem)})


def _is_formula(topic: str, text: str) -> bool:
    if _FORMULA_TOPIC.match(topic):
        return True
    return not _DELIMITED.search(text) and _COMMAND.search(text) is not None and not _TWO_WORDS.search(text)


def _formula(latex: str, formula_id: str | None = None) -> Content:
    source, display = strip_delimiters(clean(latex))
    return Content(PLACEHOLDER, (Formula(source, "latex", formula_id, None, display),))


def _json_topics(lines: Iterator[tuple[str, str]], path: Path, on_problem: OnProblem) -> Iterator[tuple[str, Query]]:
    for where, line in lines:
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise FormatError(f"a line is not valid JSON ({error})", where=where) from None
        if not isinstance(value, dict):
            raise FormatError("a line is not a JSON object", where=where)
        topic = next((str(value[key]).strip() for key in _ID_KEYS if value.get(key) not in (None, "")), "")
        fields: dict[str, Content] = {}
        metadata: dict[str, str | tuple[str, ...]] = {}
        for name in _FIELDS:
            text = _json_text(value.get(name), name, where)
            if not text:
                continue
            if name == "formula":
                formula_id = value.get("formula_id")
                fields[name] = _formula(text, str(formula_id) if formula_id is not None else None)
                if formula_id is not None:
                    metadata["formula_id"] = str(formula_id)
            elif name == "tags":
                metadata["tags"] = tag_names(text)
                fields[name] = Content(" ".join(tag_names(text)))
            else:
                fields[name] = body_content(text, f"{where}: {name}", on_problem)
        if not any(fields.values()):
            hint = f"Expected one of the keys {', '.join(_FIELDS)}"
            raise FormatError("a topic has no query", where=where, hint=hint)
        yield where, Query(topic, fields, metadata)


def _json_text(value: Any, name: str, where: str) -> str:
    if value is None:
        return ""
    if isinstance(value, list) and name == "tags":
        return " ".join(map(str, value))
    if not isinstance(value, str):
        raise FormatError(f"{name} is not a string", where=where)
    return value.strip()


def _xml_topics(data: bytes, path: Path, on_problem: OnProblem) -> Iterator[tuple[str, Query]]:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise FormatError(f"the XML is broken ({error.msg})", where=f"{path}:{error.lineno}") from None
    for element in root.iter("Topic", "topic"):
        where = f"{path}:{element.sourceline}"
        parts: Mapping[str, str] = {
            child.tag.lower(): "".join(child.itertext()) for child in element if isinstance(child.tag, str)
        }
        topic = (element.get("number") or element.get("id") or "").strip()
        place = f"{path.name}: topic {topic}"
        fields: dict[str, Content] = {}
        metadata: dict[str, str | tuple[str, ...]] = {}
        latex = parts.get("latex", "").strip()
        formula_id = parts.get("formula_id", "").strip() or None
        if latex:
            fields["formula"] = _formula(latex, formula_id)
        elif formula_id is not None:
            raise FormatError(f"the topic {topic} names a formula but has no Latex", where=where)
        if formula_id is not None:
            metadata["formula_id"] = formula_id
        if title := parts.get("title", "").strip():
            fields["title"] = inline_content(title, f"{place}: title", on_problem)
        if question := parts.get("question", "").strip():
            fields["question"] = body_content(question, f"{place}: question", on_problem)
        if tags := tag_names(parts.get("tags", "")):
            fields["tags"] = Content(" ".join(tags))
            metadata["tags"] = tags
        if not any(fields.values()):
            raise FormatError(f"the topic {topic} is empty", where=where)
        yield where, Query(topic, fields, metadata)
