"""Options that several commands share."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_type_hints

import click

from porism.cli.progress import compile_once
from porism.cli.terminal import COLORS, choose_color, echo
from porism.search.printable import escaped_json

if TYPE_CHECKING:
    PlaceType = click.ParamType[Path | str]
    from porism.search.index import Index
    from porism.serve.shards.federated import FederatedIndex
else:
    PlaceType = click.ParamType  # no generic class before click 8.2

Function = TypeVar("Function", bound=Callable[..., Any])

DEFAULT_INDEX = "porism-index"

Indexes = tuple[Path | str, ...]
"""Folders of indexes, and addresses of servers that have some."""

index_option = click.option(
    "--index", "index_path", type=click.Path(path_type=Path), default=DEFAULT_INDEX, show_default=True,
    envvar="PORISM_INDEX", show_envvar=True, metavar="DIR", help="The folder of the index.",
)

cluster_option = click.option(
    "--cluster", metavar="ADDRESS",
    help="Work on a Dask cluster: tcp://HOST:8786, or local:2 for two processes here (porism[cluster]).",
)


def all_options(*options: Callable[[Any], Any]) -> Callable[[Function], Function]:
    """One decorator that adds options, shown in this order."""
    def decorate(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def jobs_option(work: str) -> Callable[[Function], Function]:
    """``--jobs N``; ``work`` says what the processes do."""
    return click.option("--jobs", type=click.IntRange(min=1), metavar="N", show_default="all cores", help=work)


problems_option = click.option(
    "--problems", "problems_path", type=click.Path(dir_okay=False), metavar="FILE",
    help="Write a line for everything that was skipped, repaired or not understood.",
)

quiet_option = click.option("--quiet", is_flag=True, help="Show no progress bar and no summary.")

device_option = click.option(
    "--device", default="auto", show_default=True, metavar="NAME",
    help="Where the model runs: cpu, cuda, cuda:1, …; auto is the first GPU, else the processor.",
)


def list_option(registry: str, entries: str) -> Callable[[Function], Function]:
    """``--list``, which prints the ``entries`` of a registry (``module:NAME``) and ends the command."""

    def print_list(context: click.Context, parameter: click.Parameter, given: bool) -> None:
        if given and not context.resilient_parsing:
            module, _, name = registry.partition(":")
            echo(registry_lines(getattr(import_module(module), name)))
            context.exit()

    return click.option(
        "--list", is_flag=True, is_eager=True, expose_value=False, callback=print_list,
        help=f"List all {entries}, and do nothing else.",
    )


def registry_lines(registry: Mapping[str, Any]) -> str:
    """The names in a registry; of classes of settings also a summary, and the settings with their defaults."""
    lines: list[str] = []
    for name, cls in registry.items():
        if not isinstance(cls, type):
            lines.append(name)
            continue
        summary = (cls.__doc__ or "").partition("\n\n")[0]
        lines.append(f"{name}: {' '.join(summary.split())}")
        hints = get_type_hints(cls)
        for field in dataclasses.fields(cls):
            choices = [choice for choice in get_args(hints[field.name]) if isinstance(choice, str)]
            known = f"  ({', '.join(choices)})" if choices else ""
            default = "{}" if field.default is dataclasses.MISSING else str(field.default).replace("None", "none")
            lines.append(f"    {field.name} = {default}{known}")
    return "\n".join(lines)


def is_address(index: Path | str) -> bool:
    """Whether an index is on a server: ``http://…``."""
    return isinstance(index, str) and index.startswith(("http://", "https://"))


class IndexPlace(PlaceType):
    """The folder of an index, or the address of a server that has one. The environment separates several as ``PATH``
    does, or by blanks where one is an address."""

    name = "index"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path | str:
        """An address as it is, anything else as a path."""
        return value if isinstance(value, Path) or is_address(value) else Path(value)

    def split_envvar_value(self, rv: str) -> Sequence[str]:
        """The indexes that a variable of the environment names."""
        return rv.split() if "://" in rv else list(filter(None, rv.split(os.pathsep)))


searched_indexes_option = click.option(
    "--index", "indexes", type=IndexPlace(), multiple=True, envvar="PORISM_INDEX", show_envvar=True,
    metavar="DIR|URL",
    help=f"The folder of an index, {DEFAULT_INDEX} by default, or the address of a server; several are searched "
         "as one.",
)
"""``--index DIR|URL`` of commands that search, repeatable; :func:`searched` has what is searched."""

last_searched_option = click.option(
    "--index", "indexes", type=IndexPlace(), multiple=True, envvar="PORISM_INDEX", show_envvar=True,
    metavar="DIR|URL", help="The folder of an index, repeatable; those of your last search if not given.",
)
"""``--index DIR|URL`` of commands that go on from a search: none where neither it nor the environment names one."""


def searched(indexes: Indexes) -> Indexes:
    """The indexes that are named, else the one that has the usual folder."""
    return indexes or (Path(DEFAULT_INDEX),)


def folders(indexes: Indexes) -> list[Path]:
    """The indexes that are named, all of them on this machine; else the one that has the usual folder.

    :raises click.UsageError: one is on a server.
    """
    for index in indexes:
        if not isinstance(index, Path):
            raise click.UsageError(f"{index} is a server; this works with indexes on this machine only.")
    return [index for index in searched(indexes) if isinstance(index, Path)]


filter_option = click.option(
    "--filter", "filters", multiple=True, metavar="KEY=VALUE",
    help="Only documents with this metadata, e.g. tags=calculus. The same key again allows any of the values.",
)

model_option = click.option(
    "--model", "model_name", default="default", show_default=True, metavar="NAME|FILE.toml",
    help="The model of search, or with --formulas of formula search: its name, or a file of settings. dense:NAME is "
         "dense by the encoder NAME of the index.",
)

seconds_option = click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), default=10.0, show_default=True, metavar="N",
    help="The longest time of each server; one that takes longer, or fails, is named.",
)
"""``--seconds N``: the time of each index that is searched together with one on a server."""


def open_with_model(paths: Sequence[Path], model_name: str, formulas: bool, quiet: bool = False) -> Index:
    """Opens an index, or several as one, with the model that ``--model`` names, and compiles the kernels of searches.

    :raises ConfigError: the model or its file does not exist or is not valid, or several indexes cannot be searched as
        one.
    """
    from porism.search.index import open_index
    from porism.search.models.models import read_model

    if formulas:
        index = open_index(paths, formula_model=read_model(model_name, formulas=True))
    else:
        index = open_index(paths, read_model(model_name))
    compile_once(quiet)
    return index


@contextmanager
def open_searched(
    indexes: Indexes, model_name: str, formulas: bool, seconds: float, quiet: bool = False
) -> Iterator[Index | FederatedIndex]:
    """What is searched: an index here, several as one, or these and others on servers, of which each has so many
    ``seconds``.

    :raises ConfigError: as :func:`open_with_model`.
    """
    if not any(map(is_address, indexes)):
        with open_with_model(folders(indexes), model_name, formulas, quiet) as index:
            yield index
        return
    from porism.search.models.models import read_model
    from porism.serve.web.remote_shards import open_shards

    compile_once(quiet)
    model = read_model(model_name, formulas)
    yield open_shards(indexes, formula_model=model, seconds=seconds) if formulas else open_shards(
        indexes, model, seconds=seconds
    )


def check_formula_options(formulas: bool, **given: bool) -> None:
    """Refuses options that only formula search has.

    :raises click.UsageError: one was given without ``--formulas``.
    """
    for option, was_given in given.items():
        if was_given and not formulas:
            raise click.UsageError(f"--{option.replace('_', '-')} works with --formulas only.")


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")

color_option = click.option(
    "--color", type=click.Choice(COLORS), default="auto", show_default=True, expose_value=False,
    callback=choose_color,
    help="When matches are coloured; auto: on a terminal unless NO_COLOR is set, and always if FORCE_COLOR is.",
)


def print_json(value: Any) -> None:
    """Prints a value as indented JSON, in UTF-8."""
    import orjson

    try:
        text = orjson.dumps(value, option=orjson.OPT_INDENT_2).decode("utf-8")
    except TypeError:  # it has names of files that are not UTF-8
        text = json.dumps(value, indent=2, ensure_ascii=False)
    echo(escaped_json(text))


def check_outputs(outputs: Mapping[str, Path | None], runs: Iterable[Path], others: Iterable[Path | None] = ()) -> None:
    """Refuses to overwrite an input, or one output with another; ``outputs`` maps options to files.

    :raises click.UsageError: an option names such a file.
    """
    read = [(path, "one of the runs") for path in runs] + [(path, "a file that is read") for path in others if path]
    taken: dict[Path, str] = {}
    for option, target in outputs.items():
        if target is None or (target.exists() and not target.is_file()):  # a device can take any number of results
            continue
        if (other := taken.setdefault(target.resolve(), option)) != option:
            raise click.UsageError(f"{option} and {other} are the same file; give another one.")
        for path, role in read:
            if target.exists() and path.exists() and target.samefile(path):
                raise click.UsageError(f"{option} is {role}; give another file.")
