"""Documents as JSON bytes: how an index stores them."""

from __future__ import annotations

import re
from collections.abc import Container
from itertools import accumulate
from typing import Any

import orjson

from porism.errors import IndexCorrupt
from porism.types import Content, Document, Formula

_LATEX = "latex"
_SURROGATE = re.compile("[\ud800-\udfff]")


def content_to_json(content: Content) -> Any:
    """A string where there is nothing but text, else ``{"text": …, "formulas": […]}``, default values left out.

    ``lines`` are flat, and each number is how much it is more than the one before it of its kind.
    """
    if not content.formulas and not content.lines:
        return content.text
    formulas: list[Any] = []
    for formula in content.formulas:
        entry: dict[str, Any] = {"source": formula.source}
        if formula.notation != _LATEX:
            entry["notation"] = formula.notation
        if formula.id is not None:
            entry["id"] = formula.id
        if formula.visual_id is not None:
            entry["visual_id"] = formula.visual_id
        if formula.display:
            entry["display"] = True
        formulas.append(entry if len(entry) > 1 else formula.source)
    value: dict[str, Any] = {"text": content.text, "formulas": formulas}
    if content.lines:
        value["lines"] = _differences(content.lines)
    return value


def _differences(lines: tuple[tuple[int, int], ...]) -> list[int]:
    numbers: list[int] = []
    character = line = 0
    for next_character, next_line in lines:
        numbers += [next_character - character, next_line - line]
        character, line = next_character, next_line
    return numbers


def _sums(numbers: list[int]) -> tuple[tuple[int, int], ...]:
    return tuple(zip(accumulate(numbers[::2]), accumulate(numbers[1::2]), strict=True))


def content_from_json(value: Any) -> Content:
    """The inverse of :func:`content_to_json`."""
    if isinstance(value, str):
        return Content(value)
    return Content(
        value["text"],
        tuple(Formula(entry) if isinstance(entry, str) else Formula(**entry) for entry in value["formulas"]),
        _sums(value.get("lines", [])),
    )


def dump_document(document: Document) -> bytes:
    """The document as JSON; lone surrogates, which UTF-8 cannot carry, become U+FFFD."""
    value = {
        "id": document.id,
        "fields": {name: content_to_json(content) for name, content in document.fields.items()},
        "metadata": dict(document.metadata),
    }
    try:
        return orjson.dumps(value)
    except (TypeError, orjson.JSONEncodeError):
        return orjson.dumps(_clean(value))


def load_document(data: bytes, fields: Container[str] | None = None) -> Document:
    """The inverse of :func:`dump_document`; with only these ``fields``, where they are given.

    :raises IndexCorrupt: this is no document.
    """
    try:
        value = orjson.loads(data)
        metadata = {key: tuple(entry) if isinstance(entry, list) else entry for key, entry in value["metadata"].items()}
        contents = {
            name: content_from_json(content) for name, content in value["fields"].items()
            if fields is None or name in fields
        }
        return Document(value["id"], contents, metadata)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise IndexCorrupt(
            f"a stored document cannot be read ({error})", hint="Find the file with: porism check."
        ) from error


def clean_text(text: str) -> str:
    """The text with lone surrogates, which UTF-8 cannot carry, as U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {_clean(key): _clean(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(entry) for entry in value]
    return value
