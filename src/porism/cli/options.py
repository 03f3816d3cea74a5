"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from porism.cli.first_use import compile_once
from porism.cli.terminal import COLORS, choose_color, echo
from porism.printable import escaped_json

if TYPE_CHECKING:
    from porism.searching import Index

Function = TypeVar("Function", bound=Callable[..., Any])

DEFAULT_INDEX = "porism-index"


def index_option(function: Function) -> Function:
    """``--index DIR``, by default the folder ``porism-index`` here or what the environment names."""
    return click.option(
        "--index", "index_path", type=click.Path(path_type=Path), default=DEFAULT_INDEX, show_default=True,
        envvar="PORISM_INDEX", show_envvar=True, metavar="DIR", help="The folder of the index.",
    )(function)


def searched_index_option(function: Function) -> Function:
    """``--index DIR`` of commands that go on from a search: None where neither it nor the environment names one."""
    return click.option(
        "--index", "index_path", type=click.Path(path_type=Path), envvar="PORISM_INDEX", show_envvar=True,
        metavar="DIR", help="The folder of the index; that of your last search if not given.",
    )(function)


def filter_option(function: Function) -> Function:
    """``--filter KEY=VALUE``, repeatable."""
    return click.option(
        "--filter", "filters", multiple=True, metavar="KEY=VALUE",
        help="Only documents with this metadata, e.g. tags=calculus; the same key again means any of the values.",
    )(function)


def model_option(function: Function) -> Function:
    """``--model NAME|FILE.toml``."""
    return click.option(
        "--model", "model_name", default="default", show_default=True, metavar="NAME|FILE.toml",
        help="The model of search, or with --formulas of formula search: by name or as a file of settings.",
    )(function)


def open_with_model(path: Path, model_name: str, formulas: bool, quiet: bool = False) -> Index:
    """Opens an index with the model that ``--model`` names, and compiles what a search calls, where that is to be done.

    :raises ConfigError: there is no such model or file, or it is broken.
    """
    from porism.retrieve.models import read_formula_model, read_search_model
    from porism.searching import open_index

    if formulas:
        index = open_index(path, formula_model=read_formula_model(model_name))
    else:
        index = open_index(path, read_search_model(model_name))
    compile_once(quiet)
    return index


def check_formula_options(formulas: bool, **given: bool) -> None:
    """Refuses options that mean something for formula search only.

    :raises click.UsageError: one was given without ``--formulas``.
    """
    for option, was_given in given.items():
        if was_given and not formulas:
            raise click.UsageError(f"--{option.replace('_', '-')} works with --formulas only.")


def json_option(function: Function) -> Function:
    """``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")(function)


def color_option(function: Function) -> Function:
    """``--color auto|always|never``."""
    return click.option(
        "--color", type=click.Choice(COLORS), default="auto", show_default=True, expose_value=False,
        callback=choose_color,
        help="Colours: on a terminal unless NO_COLOR is set, or where FORCE_COLOR is set; or always, or never.",
    )(function)


def print_json(value: Any) -> None:
    """Prints a value as indented JSON, in UTF-8."""
    import orjson

    echo(escaped_json(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode("utf-8")))


def check_outputs(
    outputs: Mapping[str, Path | None], runs: Iterable[Path], others: Iterable[Path | None] = ()
) -> None:
    """Refuses to write over what is read, or one result over another; ``outputs`` is option → file.

    :raises click.UsageError: an option names such a file.
    """
    read = [(path, "one of the runs") for path in runs] + [(path, "a file that is read") for path in others if path]
    taken: dict[Path, str] = {}
    for option, target in outputs.items():
        if target is None or (target.exists() and not target.is_file()):  # a device can take any number of results
            continue
        if (other := taken.setdefault(target.resolve(), option)) != option:
            raise click.UsageError(f"{option} and {other} are the same file; give another one.")
        for path, what in read:
            if target.exists() and path.exists() and target.samefile(path):
                raise click.UsageError(f"{option} is {what}; give another file.")
