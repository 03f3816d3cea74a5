"""Options that are the fields of a dataclass of settings, where their types, defaults and meanings are stated."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    TupleType = click.ParamType[tuple[float, ...]]
else:
    TupleType = click.ParamType  # no generic class before click 8.2

Function = TypeVar("Function", bound=Callable[..., Any])


class RenamedOption(click.Option):
    """An option that also has former names, which the help does not show."""

    def __init__(self, *arguments: Any, former: Collection[str] = (), **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.former = former

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        shown = self.opts
        self.opts = [*shown, *self.former]
        try:
            super().add_to_parser(parser, ctx)
        finally:
            self.opts = shown


def settings_options(
    settings: Any, *, into: str = "settings", only: Collection[str] = (), omit: Collection[str] = (),
    names: Mapping[str, str] | None = None, former: Mapping[str, str] | None = None,
    metavars: Mapping[str, str] | None = None, types: Mapping[str, click.ParamType[Any]] | None = None,
) -> Callable[[Function], Function]:
    """Adds an option for each field of a dataclass of settings; the command gets the dataclass as ``into``.

    A field ``max_distance`` is the option ``--max-distance``, with the meaning that :func:`porism.settings.setting`
    states. Where the command has an option of this name already, its value is that of the field, too.

    :param settings: The dataclass, or an instance, whose values are then the defaults.
    :param only: The fields that become options, all if empty; ``omit``: those that do not. They keep their defaults.
    :param names: Options that are not called as their field: ``{"queries": "-n/--queries"}``, or with a name for *off*:
        ``{"symmetric": "--symmetric/--one-way"}``.
    :param former: Former names of options, which stay valid: ``{"min_score": "--least"}``.
    :param metavars: What stands for the value in the help, where not N, X, TEXT, FILE or the choices.
    :param types: What reads a value, where that does not follow from the type of the field.
    """
    kinds = get_type_hints(settings if isinstance(settings, type) else type(settings))
    names, former, metavars, types = names or {}, former or {}, metavars or {}, types or {}
    fields = [field for field in dataclasses.fields(settings)
              if field.init and (field.name in only or not only) and field.name not in omit]
    declarations = {
        field.name: names.get(field.name, f"--{field.name.replace('_', '-')}").split("/") for field in fields
    }

    def decorate(function: Function) -> Function:
        declared = {name: parameter.name for parameter in getattr(function, "__click_params__", ())
                    for name in parameter.opts}
        parameters = {
            name: next((declared[option] for option in options if option in declared), f"{into}_{name}")
            for name, options in declarations.items()
        }
        own = [name for name in parameters.values() if name not in declared.values()]

        @wraps(function)
        def command(*arguments: Any, **given: Any) -> Any:
            context = click.get_current_context()
            values = {name: context.params[parameter] for name, parameter in parameters.items()}
            for name in own:
                del given[name]
            context.meta[f"porism.{into}"] = [
                name for name, parameter in parameters.items()
                if context.get_parameter_source(parameter) is not ParameterSource.DEFAULT
            ]
            made = settings(**values) if isinstance(settings, type) else dataclasses.replace(settings, **values)
            return function(*arguments, **given, **{into: made})

        decorated: Any = command
        for field in reversed(fields):
            if (parameter := parameters[field.name]) in own:
                default = field.default if isinstance(settings, type) else getattr(settings, field.name)
                decorated = _option(
                    field, kinds[field.name], default, parameter, declarations[field.name],
                    former.get(field.name, "").split(), metavars.get(field.name), types.get(field.name),
                )(decorated)
        return cast("Function", decorated)

    return decorate


def given_settings(settings: Any, into: str = "settings") -> dict[str, Any]:
    """The settings that the running command got as ``into``, of them those whose options were given."""
    return {name: getattr(settings, name) for name in click.get_current_context().meta[f"porism.{into}"]}


def _option(
    field: dataclasses.Field[Any], kind: Any, default: Any, parameter: str, declared: list[str], former: list[str],
    metavar: str | None, value_type: click.ParamType[Any] | None,
) -> Callable[[Function], Function]:
    details = _details(field.name, kind)
    if "is_flag" in details:
        if default and len(declared) == 1:
            declared = [declared[0], f"--no-{declared[0][2:]}"]
        declared = ["/".join(declared)]
    if metavar:
        details["metavar"] = metavar
    if value_type:
        details["type"] = value_type
    shown: Any = field.metadata["unset"] or (default not in (None, "", ()) and default is not False)
    return click.option(
        *declared, parameter, cls=RenamedOption, former=former, show_default=shown, help=field.metadata["meaning"],
        default=() if "multiple" in details and default is None else default, **details,
    )


def _details(name: str, kind: Any) -> dict[str, Any]:
    """How values of a type are given.

    :raises TypeError: an option cannot give such a value.
    """
    optional = get_origin(kind) is UnionType
    if optional:  # X | None
        kind = next(part for part in get_args(kind) if part is not type(None))
    parts = get_args(kind)
    match get_origin(kind) or kind:
        case builtin if builtin is bool and not optional:
            return {"is_flag": True}
        case builtin if builtin in _METAVARS:
            return {"type": kind, "metavar": _METAVARS[kind]}
        case path if path is Path:
            return {"type": click.Path(path_type=Path), "metavar": "FILE"}
        case literal if literal is Literal and all(isinstance(choice, str) for choice in parts):
            return {"type": click.Choice(parts)}
        case sequence if sequence is tuple and parts in ((int, ...), (float, ...)):
            return {"type": _Numbers(parts[0]), "metavar": "N,N,…"}
        case sequence if sequence is tuple and parts in ((str, ...), (Path, ...)):
            return {
                "multiple": True, "type": parts[0] if parts[0] is str else click.Path(path_type=Path),
                "callback": lambda context, parameter, value: value or (None if optional else ()),
            }
        case mapping if mapping is Mapping and parts == (str, str):
            return {"multiple": True, "callback": named_values, "metavar": "NAME=VALUE"}
    raise TypeError(f"the setting {name} cannot be an option: {kind}")


_METAVARS = {int: "N", float: "X", str: "TEXT"}


def named_values(context: click.Context, parameter: click.Parameter, pairs: tuple[str, ...]) -> dict[str, str] | None:
    """The callback of an option with ``NAME=VALUE`` strings: names and values, None where none is given."""
    read: dict[str, str] = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not (name and separator and value):
            raise click.BadParameter(f"{pair!r} is not of the form {parameter.metavar}.", context, parameter)
        read[name] = value
    return read or None


class _Numbers(TupleType):
    """Numbers between commas."""

    name = "numbers"

    def __init__(self, kind: type[int] | type[float]) -> None:
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        try:
            return tuple(self.kind(part) for part in value.split(",") if part.strip())
        except ValueError:
            self.fail(f"{value!r} is not a list of numbers between commas.", param, ctx)
