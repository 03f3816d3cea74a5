"""What the top of a Markdown file says of it: YAML, TOML (Hugo), or Pandoc's title lines."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from porism.analysis.document_languages import LANGUAGE
from porism.analysis.languages import language_named
from porism.corpus.base import clean, ignore_problem
from porism.corpus.markdown.inline import markdown_text
from porism.errors import OnProblem, Problem
from porism.types import Content, Metadata

MAX_FRONT_MATTER = 32_000
"""Longer data at the top of a file, in characters, are text."""

_YAML = re.compile(r"---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML = re.compile(r"\+\+\+[ \t]*\n(.*?\n)?\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_TITLE_LINES = re.compile(r"%[ \t]+([^\n]+)\n(?:%[^\n]*\n){0,2}(?:[ \t]*\n|\Z)")
_ALIAS_NAMES = ("aliases", "alias")
LANGUAGE_NAMES = ("lang", "language", "locale")
_TAG_NAMES = ("tags", "tag", "categories", "category", "keywords")


def front_matter(text: str, name: str, on_problem: OnProblem) -> tuple[Content | None, Metadata, int]:
    """Title, tags, aliases and the language at the top of a text, and the offset of what comes after them.

    What cannot be read there, or is not a mapping, is taken for text.
    """
    values, end = _values(text, name, on_problem)
    if values is None:
        return None, {}, 0
    title: Content | None = None
    language: str | None = None
    tags: list[str] = []
    aliases: list[str] = []
    for key, value in values.items():
        key = str(key).lower()
        if key == "title" and isinstance(value, str) and value.strip():
            title = markdown_text(value, name)
        elif key in _TAG_NAMES:
            tags += [entry.removeprefix("#") for entry in _entries(value)]
        elif key in _ALIAS_NAMES:
            aliases += _entries(value)
        elif key in LANGUAGE_NAMES and isinstance(value, str):
            language = language or language_named(value)
    named = {"tags": tags, "aliases": aliases}
    extra: dict[str, str | tuple[str, ...]] = {
        key: tuple(dict.fromkeys(entries)) for key, entries in named.items() if entries
    }
    if language:
        extra[LANGUAGE] = language
    return title, extra, end


def front_values(text: str) -> dict[Any, Any]:
    """All that is said at the top of a text."""
    return _values(text, "text", ignore_problem)[0] or {}


def _values(text: str, name: str, on_problem: OnProblem) -> tuple[dict[Any, Any] | None, int]:
    """What is said at the top of a text, None where nothing is, and the offset of what comes after it."""
    if match := _YAML.match(text, 0, MAX_FRONT_MATTER):
        return _yaml(match.group(1) or "", name, on_problem), match.end()
    if match := _TOML.match(text, 0, MAX_FRONT_MATTER):
        return _toml(match.group(1) or "", name, on_problem), match.end()
    if match := _TITLE_LINES.match(text, 0, MAX_FRONT_MATTER):
        return {"title": match.group(1)}, match.end()
    return None, 0


def _entries(value: Any) -> list[str]:
    """The strings of a list, or the parts between the commas of a string."""
    entries = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return [text for entry in entries if isinstance(entry, str) and (text := clean(entry).strip())]


def _yaml(text: str, name: str, on_problem: OnProblem) -> dict[Any, Any] | None:
    """A YAML mapping with all values as strings; None where it is none."""
    import yaml

    try:
        values = yaml.load(text, Loader=yaml.BaseLoader)  # of strings, lists and mappings only: safe, and 007 stays 007
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = 2 + mark.line if mark is not None else 1
        reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "it is nested too deeply"
        on_problem(Problem(f"{name}:{line}", f"the front matter is not valid YAML ({reason}); it is taken for text"))
        return None
    if values is None or values == "":
        return {}
    return values if isinstance(values, dict) else None


def _toml(text: str, name: str, on_problem: OnProblem) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        on_problem(Problem(f"{name}:1", f"the front matter is not valid TOML ({error}); it is taken for text"))
        return None
