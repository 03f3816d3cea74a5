"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Function = TypeVar("Function", bound=Callable[..., Any])

DEFAULT_INDEX = "porism-index"


def index_option(function: Function) -> Function:
    """``--index DIR``, by default the folder ``porism-index`` here or what the environment names."""
    return click.option(
        "--index", "index_path", type=click.Path(path_type=Path), default=DEFAULT_INDEX, show_default=True,
        envvar="PORISM_INDEX", show_envvar=True, metavar="DIR", help="The folder of the index.",
    )(function)


def filter_option(function: Function) -> Function:
    """``--filter KEY=VALUE``, repeatable."""
    return click.option(
        "--filter", "filters", multiple=True, metavar="KEY=VALUE",
        help="Only documents with this metadata, e.g. tags=calculus; the same key again means any of the values.",
    )(function)


def json_option(function: Function) -> Function:
    """``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")(function)


def print_json(value: Any) -> None:
    """Prints a value as indented JSON, in UTF-8."""
    import orjson

    click.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode("utf-8"))
