"""Tables of documents: JSON lines, CSV and TSV, with a mapping of their columns or a guess at it."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import orjson
import xxhash

from porism.corpus.base import OnProgress, ReaderOptions, UnitId, clean
from porism.corpus.groups import LazyRecord
from porism.corpus.posts.threads import body_content, join_contents, tag_names
from porism.corpus.streams import ByteProgress, check_source, first_bytes, narrow_encoding, open_seekable
from porism.corpus.tables.cells import read_rows
from porism.corpus.tables.json_records import Record, json_records
from porism.errors import ConfigError, OnProblem, Problem, SourceError
from porism.types import Content, Document
from porism.version import __version__

ID_NAMES = ("id", "_id", "doc_id", "docid", "docno", "document_id", "post_id", "uid", "key")
TITLE_NAMES = ("title", "heading", "name", "subject")
QUESTION_NAMES = ("question", "q", "problem", "query", "prompt")
ANSWER_NAMES = ("answer", "a", "solution", "response", "answers")
BODY_NAMES = ("body", "text", "content", "contents", "abstract", "statement", "passage", "description", "theorem")
TAG_NAMES = ("tags", "keywords", "categories", "topics", "labels")
MAX_METADATA_LENGTH = 300
"""Longer values are text, not metadata, and are left out of a guess."""
MAX_METADATA = 50
_METADATA_NAMES = {"file": "record.file", "line": "record.line"}
"""What a record's own values of these names are called: these names describe where the record itself is."""
JSON_ENDINGS = (".jsonl", ".ndjson", ".jsonlines", ".json")
CSV_ENDINGS = (".csv", ".tsv", ".tab")


class RecordReader(ABC):
    """Reads files of records, of which each becomes a document."""

    expected: str
    """What a file should be, for messages."""

    @abstractmethod
    def records(
        self, file: IO[bytes], path: Path, options: ReaderOptions, on_problem: OnProblem, progress: ByteProgress
    ) -> Iterator[Record]:
        """Yields the records of an open file; others are reported and skipped."""

    def read(
        self, path: Path, options: ReaderOptions, on_problem: OnProblem, on_progress: OnProgress
    ) -> Iterator[Document]:
        """Yields the documents."""
        any_text = False
        for record in self.unread(path, options, on_problem, on_progress):
            document = record.read(on_problem)
            if document is not None:
                any_text = True
                yield document
        if not any_text:
            raise SourceError("no record has any text", where=str(path))

    def unread(
        self, path: Path, options: ReaderOptions, on_problem: OnProblem, on_progress: OnProgress
    ) -> Iterator[LazyRecord]:
        """Yields the records, of which :meth:`read` makes documents."""
        check_source(path, self.expected)
        source = options.collection or path.name
        seed = xxhash.xxh3_64_intdigest(f"{__version__} {source} {options!r}".encode("utf-8", "surrogatepass"))
        any_record = False
        with open_seekable(path, on_problem, options.encoding, options.max_unpacked) as file:
            progress = ByteProgress(on_progress, file.seek(0, 2))
            file.seek(0)
            for record in self.records(file, path, options, on_problem, progress):

                def read(on_problem: OnProblem, record: Record = record) -> Document | None:
                    return to_document(record, f"{path.name}:{record.line}", options, on_problem, source)

                any_record = True
                doc_id = record_id(record.values, options) or UnitId(path.name, str(record.line))
                yield LazyRecord(doc_id, record.line, _digest(record.values, seed), read)
            progress.finish()
        if not any_record:
            raise SourceError("no record could be read", where=str(path), hint=f"Expected {self.expected}")


class JsonlReader(RecordReader):
    """Reads JSON lines, or the objects of one JSON array, packed with gzip or not.

    ``options.fields`` maps fields of documents to keys, with dots into nested values (``{"body": "meta.text"}``); a
    list gives all its strings. Without it, common names are recognised in upper or lower case: ids, titles, tags, and
    either a body, or an answer (``body``) with its question (``question``); without any of them all strings are the
    ``body``. What is left and short becomes metadata unless ``options.metadata_fields`` names what to take.

    A record without an id is called ``file#line``. Lines that are not a JSON object are reported and skipped. Text may
    hold LaTeX between dollars, or be HTML.
    """

    name = "jsonl"
    document = "an object"
    expected = "JSON lines, one record a line"

    def detect(self, path: Path) -> bool:
        """Whether the name ends in ``.jsonl``, ``.ndjson`` or ``.json`` and the content begins like records."""
        if not _bare_name(path).endswith(JSON_ENDINGS) or not path.is_file():
            return False
        start = first_bytes(path, 4096).lstrip(b"\xef\xbb\xbf \t\r\n")
        if _bare_name(path).endswith(".json"):
            return re.match(rb"\[\s*\{", start) is not None or re.match(rb'\{".*\}\s*\n\{"', start) is not None
        return start.startswith((b"{", b"["))

    def records(
        self, file: IO[bytes], path: Path, options: ReaderOptions, on_problem: OnProblem, progress: ByteProgress
    ) -> Iterator[Record]:
        yield from json_records(file, path, options, on_problem, progress)


class CsvReader(RecordReader):
    """Reads CSV and TSV, with the rules of :class:`JsonlReader` for columns, which the first row names.

    A TSV file of two or three columns whose first row has no known name is taken to be (id, body) or (id, title, body);
    columns are also known by their number from ``0``. Cells in quotes may go on over lines
    (:func:`~porism.corpus.tables.cells.read_rows`). Rows with other numbers of cells than the header are reported and
    skipped.
    """

    name = "csv"
    document = "a row"
    expected = "a table with a header"

    def detect(self, path: Path) -> bool:
        """Whether the name ends in ``.csv`` or ``.tsv``."""
        return path.is_file() and _bare_name(path).endswith(CSV_ENDINGS)

    def records(
        self, file: IO[bytes], path: Path, options: ReaderOptions, on_problem: OnProblem, progress: ByteProgress
    ) -> Iterator[Record]:
        tabbed = _bare_name(path).endswith((".tsv", ".tab"))
        encoding = narrow_encoding(options.encoding)
        header: list[str] | None = None
        for line, _, _, cells in read_rows(file, path.name, on_problem, progress, encoding=encoding, tabbed=tabbed):
            if header is None:
                names = [cell.strip() for cell in cells]
                header = _header(names, options, tabbed)
                if header is names:
                    _check_mapping(header, options, path)
                    continue
            if len(cells) != len(header):
                on_problem(
                    Problem(f"{path.name}:{line}", f"a row of {len(cells)} cells instead of {len(header)} is skipped")
                )
                continue
            yield Record(line, dict(zip(header, cells, strict=True)))


def _bare_name(path: Path) -> str:
    return path.name.lower().removesuffix(".gz")


def _digest(values: Mapping[str, Any], seed: int) -> int:
    """A digest of a record and of how it is read."""
    try:
        data = orjson.dumps(values)
    except (TypeError, orjson.JSONEncodeError):  # integers of many digits, or lone surrogates
        data = repr(values).encode("utf-8", "surrogatepass")
    return xxhash.xxh3_64_intdigest(data, seed)


def record_id(values: Mapping[str, Any], options: ReaderOptions) -> str:
    """The id that a record gives itself, empty where it gives none."""
    id_field = options.id_field or _first(values, ID_NAMES)
    value = look_up(values, id_field) if id_field is not None else None
    return _scalar(value).strip() if value is not None else ""


def to_document(
    record: Record, where: str, options: ReaderOptions, on_problem: OnProblem, source: str
) -> Document | None:
    """The document of a record, None (and a report) where it has no text."""
    values = record.values
    mapping, guessed_id = guess_fields(values) if options.fields is None else (dict(options.fields), None)
    id_field = options.id_field or guessed_id or _first(values, ID_NAMES)
    fields: dict[str, Content] = {}
    for name, key in mapping.items():
        content = _content(look_up(values, key), name, where, options, on_problem)
        if content:
            fields[name] = content
    if not fields:
        wanted = ", ".join(sorted(filter(None, set(mapping.values())))) or "any text"
        there = ", ".join(map(str, list(values)[:20])) or "no keys"
        on_problem(Problem(where, f"a record without {wanted} is skipped (it has {there})"))
        return None
    metadata: dict[str, str | tuple[str, ...]] = {"source": source}
    if options.metadata_fields is not None:
        for key in options.metadata_fields:
            value = _metadata_value(look_up(values, key))
            if value:
                metadata[_METADATA_NAMES.get(key, key)] = value
    else:
        used = {key.split(".")[0] for key in mapping.values()} - {mapping.get("tags", "")}
        metadata |= _guess_metadata(values, used | ({id_field} if id_field else set()), mapping.get("tags"))
    doc_id = record_id(values, options) or UnitId(where.rpartition(":")[0], str(record.line))
    return Document(doc_id, fields, metadata)


def guess_fields(values: Mapping[str, Any]) -> tuple[dict[str, str], str | None]:
    """Which keys hold what, by their names: (field → key, key of the id or None)."""
    id_key = _first(values, ID_NAMES)
    title, question = _first(values, TITLE_NAMES), _first(values, QUESTION_NAMES)
    answer, body, tags = _first(values, ANSWER_NAMES), _first(values, BODY_NAMES), _first(values, TAG_NAMES)
    keys: dict[str, str | None] = {"title": title}
    if answer is not None:
        keys |= {"body": answer, "question": question if question is not None else body}
    elif body is not None:
        keys |= {"body": body, "question": question}
    else:
        keys |= {"body": question}
    keys["tags"] = tags
    mapping = {name: key for name, key in keys.items() if key is not None}
    if "body" not in mapping and "title" not in mapping:
        mapping["body"] = ""  # all strings
    return mapping, id_key


def look_up(values: Any, key: str) -> Any:
    """The value at a key with dots into nested objects and lists (``a.b``, ``a.0``); the key ``""`` is everything."""
    if not key:
        return values
    if isinstance(values, Mapping) and key in values:
        return values[key]
    value = values
    for part in key.split("."):
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list) and part.isdecimal():
            value = value[int(part)] if int(part) < len(value) else None
        elif isinstance(value, list):
            value = [entry.get(part) for entry in value if isinstance(entry, Mapping)]
        else:
            return None
    return value


def _first(values: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    lower = {str(key).lower().strip(): key for key in reversed(list(values)) if values[key] not in (None, "", [])}
    return next((lower[name] for name in names if name in lower), None)


def _content(value: Any, name: str, where: str, options: ReaderOptions, on_problem: OnProblem) -> Content:
    if name == "tags":
        return Content(" ".join(_tags(value)))
    strings = list(_strings(value))
    contents = [body_content(text, f"{where}: {name}", on_problem, options.formulas) for text in strings]
    return contents[0] if len(contents) == 1 else join_contents(contents, "\n\n")


def _strings(value: Any) -> Iterator[str]:
    """All strings and numbers in a value, depth first, without recursion."""
    stack = [value]
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            if value.strip():
                yield value
        elif isinstance(value, Mapping):
            stack.extend(reversed(list(value.values())))
        elif isinstance(value, list):
            stack.extend(reversed(value))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield str(value)


def _tags(value: Any) -> tuple[str, ...]:
    """The entries of a list; of a string, the parts between commas, bars or angle brackets, or else its words."""
    if isinstance(value, str):
        return tag_names(value) if not re.search("[,;]", value) else tuple(
            tag for part in re.split("[,;<>|]", value) if (tag := clean(part).strip())
        )
    return tuple(clean(text).strip() for text in _strings(value))


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value) if isinstance(value, int | float) else ""


def _metadata_value(value: Any) -> str | tuple[str, ...]:
    if isinstance(value, list):
        return tuple(text for entry in value[:1000] if (text := _scalar(entry)))
    return _scalar(value)


def _guess_metadata(values: Mapping[str, Any], used: set[str], tags: str | None) -> dict[str, str | tuple[str, ...]]:
    """What is short of the rest; objects are flattened one level (``meta.url``)."""
    metadata: dict[str, str | tuple[str, ...]] = {}
    for key, value in values.items():
        if key in used or key == "source" or len(metadata) >= MAX_METADATA:
            continue
        if key == tags:
            metadata["tags"] = _tags(value)
            continue
        entries: Mapping[str, Any] = {key: value}
        if isinstance(value, Mapping):
            entries = {f"{key}.{name}": entry for name, entry in value.items()}
        for name, entry in entries.items():
            text = _metadata_value(entry)
            if text and sum(map(len, text)) <= MAX_METADATA_LENGTH:
                metadata[_METADATA_NAMES.get(name, name)] = text
    return metadata


def _header(first: list[str], options: ReaderOptions, tabbed: bool) -> list[str]:
    """The names of the columns: the first row itself, or others where that row is not a header."""
    named = _named_columns(options)
    numbers = [str(number) for number in range(len(first))]
    if named:
        return numbers if all(name.isdecimal() and name not in first for name in named) else first
    lower = {name.lower() for name in first}
    known = {*ID_NAMES, *TITLE_NAMES, *QUESTION_NAMES, *ANSWER_NAMES, *BODY_NAMES, *TAG_NAMES}
    if tabbed and not lower & known and len(first) in (2, 3):
        return ["id", "body"] if len(first) == 2 else ["id", "title", "body"]
    return first


def _named_columns(options: ReaderOptions) -> list[str]:
    wanted = [*(options.fields or {}).values(), options.id_field, *(options.metadata_fields or ())]
    return [name for name in wanted if name]


def _check_mapping(header: list[str], options: ReaderOptions, path: Path) -> None:
    for name in _named_columns(options):
        if name not in header:
            raise ConfigError(
                f"the table has no column {name!r}", where=str(path), hint=f"Its columns are {', '.join(header)}"
            )
