"""The options that say how sources are read, shared by the commands that read them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from porism.corpus import ReaderOptions

_OPTIONS = (
    click.option("--format", "format_name", metavar="NAME", help="The format of the sources; found out if not given."),
    click.option("--unit", type=click.Choice(["answer", "question", "thread"]), default="answer", show_default=True,
                 help="What becomes a document in a question-and-answer collection."),
    click.option("--comments/--no-comments", default=True, show_default=True,
                 help="Whether to index comments of posts."),
    click.option("--formulas", type=click.Choice(["latex", "mathml"]), default="latex", show_default=True,
                 help="The notation to read where a source has both."),
    click.option("--field", "fields", multiple=True, metavar="NAME=KEY",
                 help="For tables: the field NAME is the column or key KEY, e.g. --field title=Q --field body=A."),
    click.option("--id-field", metavar="KEY", help="For tables: the column or key that holds the document's id."),
    click.option("--metadata-field", "metadata_fields", multiple=True, metavar="KEY",
                 help="For tables: a column or key to keep as metadata."),
    click.option("--outside", is_flag=True,
                 help="Follow \\input and links to files that lie outside the source."),
    click.option("--max-unpacked", type=click.IntRange(min=1), metavar="BYTES",
                 help="How many bytes a gzip file may unpack to; by default 64 GiB, and not 200 times its size."),
    click.option("--encoding", metavar="NAME", help="Of text sources, if not UTF-8, e.g. cp1252."),
)
_NAMES = (
    "unit", "comments", "formulas", "fields", "id_field", "metadata_fields", "encoding", "outside", "max_unpacked",
)  # fmt: skip


def reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options to a command, whose function gets ``format_name`` and ``options`` (a ReaderOptions)."""

    @wraps(function)
    def command(*arguments: Any, **given: Any) -> Any:
        return function(*arguments, options=_read(**{name: given.pop(name) for name in _NAMES}), **given)

    return _with_options(command)


def changing_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """As :func:`reading_options`, but ``options`` is a mapping of the settings that were given, None where none was."""

    @wraps(function)
    def command(*arguments: Any, **given: Any) -> Any:
        context = click.get_current_context()
        named = [name for name in _NAMES if context.get_parameter_source(name) is not ParameterSource.DEFAULT]
        options = _read(**{name: given.pop(name) for name in _NAMES})
        return function(*arguments, options={name: getattr(options, name) for name in named} or None, **given)

    return _with_options(command)


def _with_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def _read(
    *, unit: str, comments: bool, formulas: str, fields: tuple[str, ...], id_field: str | None,
    metadata_fields: tuple[str, ...], encoding: str | None, outside: bool, max_unpacked: int | None,
) -> ReaderOptions:
    from porism.corpus import ReaderOptions
    from porism.errors import ConfigError

    mapping: dict[str, str] = {}
    for pair in fields:
        name, separator, key = pair.partition("=")
        if not (name and separator and key):
            raise ConfigError(f"the field {pair!r} is not of the form NAME=KEY", hint="For example: title=Q.")
        mapping[name] = key
    return ReaderOptions(
        unit=unit,  # type: ignore[arg-type]  # click has checked the choice
        comments=comments,
        formulas=formulas,  # type: ignore[arg-type]
        fields=mapping or None,
        id_field=id_field,
        metadata_fields=metadata_fields or None,
        encoding=encoding,
        outside=outside,
        max_unpacked=max_unpacked,
    )
