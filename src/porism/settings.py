"""Settings as plain values (from TOML, JSON or the command line) and as the frozen dataclasses that hold them.

Types are checked by pydantic, strictly: ``"60"`` is not a number. What a dataclass itself finds wrong (a number out of
its range) and what does not exist are reported alike, by a :class:`SettingError` that names the setting.
"""

from __future__ import annotations

import ast
import dataclasses
import json
from collections.abc import Container, Hashable, Iterable, Mapping
from difflib import get_close_matches
from functools import cache, reduce
from types import UnionType
from typing import Any, ClassVar, TypeVar, cast, get_args, get_origin, get_type_hints

from porism.errors import ConfigError

T = TypeVar("T")

Path = tuple[str | int, ...]
"""Which setting: names of tables and settings, numbers of list entries."""


class Settings:
    """The base of frozen dataclasses that hold settings; it makes pydantic strict about them."""

    __slots__ = ()
    __pydantic_config__: ClassVar[Any] = {"extra": "forbid", "strict": True}


def setting(default: T, meaning: str, *, unset: str = "") -> T:
    """A field of a dataclass of settings: its default and what it means, for options and for tables of the reference.

    ``unset`` says what the default stands for where that is None or empty.
    """
    return dataclasses.field(default=default, metadata={"meaning": meaning, "unset": unset})


class SettingError(ConfigError):
    """A setting that does not exist, or has a value of another type or out of its range; ``path`` says which one."""

    def __init__(self, what: str, *, path: Path, hint: str | None = None) -> None:
        self.path = path
        super().__init__(what, hint=hint)


def dotted(path: Iterable[str | int]) -> str:
    """A path as it is written: ``channels.tokens.weight``."""
    return ".".join(map(str, path))


def nearest(name: str, known: Iterable[str], prefix: str = "") -> str:
    """Which of the known names may have been meant: ``Did you mean weight?`` or ``Choose from …``."""
    names = list(known)
    by_lower = {other.lower(): other for other in names}
    if close := get_close_matches(name.lower(), by_lower, 1):
        return f"Did you mean {prefix}{by_lower[close[0]]}?"
    return f"Choose from {', '.join(names)}." if names else "It takes no settings."


def read_settings(cls: type[T], given: Mapping[str, Any], *, at: Path = ()) -> T:
    """The dataclass ``cls`` (of :class:`Settings`) with the values given, nested ones too; others have their defaults.

    ``at`` is the path of the values in something larger; it begins the path of an error.

    :raises SettingError: a setting does not exist, is missing, is of another type, or is out of its range.
    """
    from pydantic import ValidationError

    if not isinstance(given, Mapping):
        raise SettingError(f"{dotted(at)!r} cannot be {given!r}", path=at, hint="It is a table of settings.")
    if _has_assigned(given):
        given = _read_assigned(given, cls)
    try:  # as JSON, where lists may become tuples and tables dataclasses even though types are strict
        content = json.dumps(given, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise SettingError(f"{dotted(at)!r} holds what is not a plain value ({error})", path=at) from error
    try:
        settings: T = _adapter(cast("Hashable", cls)).validate_json(content)
    except ValidationError as error:
        raise _setting_error(error, cls, given, at) from error
    return settings


def read_named(kinds: Mapping[str, type[T]], name: str, parameters: Mapping[str, Any] | None, kind: str) -> T:
    """The dataclass that a registry has by this name, with parameters as plain values; ``kind`` says what it is one of,
    for errors.

    :raises ConfigError: the registry has none of this name; as :class:`SettingError`, it has no such parameter, or not
        with such a value.
    """
    if name not in kinds:
        raise ConfigError(f"there is no {kind} {name!r}", hint=nearest(name, kinds))
    return read_settings(kinds[name], parameters or {})


def write_settings(settings: Any) -> dict[str, Any]:
    """A dataclass of settings as plain values, ready for JSON and TOML: settings that are None are left out.

    :func:`read_settings` is the inverse, where None is the default of what can be None.
    """
    return {
        field.name: _written(value)
        for field in dataclasses.fields(settings)
        if (value := getattr(settings, field.name)) is not None
    }


class Assigned(str):
    """The value of a setting as it was written on a command line; :func:`read_settings` reads it by the setting's type.

    Text stays as it was written, with blanks and commas, unless it is in quotes. Other values are numbers, ``true`` or
    ``false``, lists of these by commas or in brackets, and else words.
    """

    __slots__ = ()

    def read_as(self, kind: Any) -> Any:
        """The value for a setting of this type, as a plain value."""
        if kind is str:
            quoted = _literal(self.strip())
            return quoted if isinstance(quoted, str) else str(self)
        value = _value(self.strip())
        if get_origin(kind) is tuple and str in get_args(kind):
            value = value if isinstance(value, list) else [part.strip() for part in self.split(",") if part.strip()]
        return value


def parse_assignments(pairs: Iterable[str]) -> dict[str, Any]:
    """Settings from ``name=value`` strings, for :func:`read_settings`: ``["k=60", "weights=0.7,0.3",
    "norm=z-score", "feedback.terms=10"]``. Dots lead into tables.

    :raises ConfigError: a string has no ``=``, or a name occurs twice or is both a setting and a table.
    """
    settings: dict[str, Any] = {}
    for pair in pairs:
        name, separator, text = pair.partition("=")
        parts = [part.strip() for part in name.split(".")]
        if not separator or not all(parts):
            raise ConfigError(f"the setting {pair!r} is not of the form name=value", hint="For example: k=60.")
        table = settings
        for part in parts[:-1]:
            table = table.setdefault(part, {})
            if not isinstance(table, dict):
                raise ConfigError(f"the setting {part!r} in {pair!r} has a value and can have no parts")
        if parts[-1] in table:
            raise ConfigError(f"the setting {name.strip()!r} occurs twice")
        table[parts[-1]] = Assigned(text.lstrip() if name.endswith(" ") else text)  # name = value
    return settings


def _has_assigned(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_assigned, value.values()))
    return isinstance(value, Assigned)


def _read_assigned(value: Any, kind: Any) -> Any:
    """The assigned values of settings, in tables too, read as the types in ``kind`` say."""
    if isinstance(value, Mapping):
        return {name: _read_assigned(entry, _kind_of(kind, str(name))) for name, entry in value.items()}
    return value.read_as(kind) if isinstance(value, Assigned) else value


def _value(text: str) -> Any:
    words = {"true": True, "false": False}
    if text in words:
        return words[text]
    value = _literal(text)
    if value is None and "," in text:
        return [_value(part.strip()) for part in text.split(",")]
    if isinstance(value, (tuple, list)):
        return list(value)
    return value if isinstance(value, (int, float, str, dict)) else text


def _literal(text: str) -> Any:
    """The number, string, list or table that is written as in Python, None where the text is none."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


@cache
def _adapter(cls: Hashable) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(cast("type[Any]", cls))


def _setting_error(error: Any, cls: type[Any], given: Mapping[str, Any], at: Path) -> SettingError:
    """The first thing that pydantic found wrong, in our words."""
    first = error.errors(include_url=False)[0]
    inner: list[str | int] = []
    value: Any = given
    for part in first["loc"]:  # a path in what was given: names of the alternatives of a union are not in it
        keys: Container[Any] = value if isinstance(value, Mapping) else ()
        if isinstance(value, (list, tuple)):
            keys = range(len(value))
        if part in keys:
            value = value[part]
            inner.append(part)
    path = (*at, *inner)
    name = dotted(path)
    if first["type"] in ("unexpected_keyword_argument", "unexpected_property"):
        known = _names_at(cls, inner[:-1])
        return SettingError(
            f"there is no setting {_shown(name)}", path=path,
            hint=nearest(str(inner[-1]), known, "".join(f"{part}." for part in path[:-1])),
        )
    if first["type"] in ("missing", "missing_argument"):
        return SettingError(f"the setting {dotted((*path, first['loc'][-1]))!r} is missing", path=path)
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, ConfigError):
        where = f"{name}: " if name else ""
        wrapped = SettingError(f"{where}{cause.what}", path=path, hint=cause.hint)
        if isinstance(cause, SettingError):
            wrapped.path = (*path, *cause.path)
        return wrapped
    return SettingError(f"the setting {name!r} cannot be {_shown(value)}", path=path, hint=f"{first['msg']}.")


def _shown(value: Any, most: int = 60) -> str:
    written = repr(value)
    return written if len(written) <= most else f"{written[: most - 1]}…"


def _names_at(cls: type[Any], path: Iterable[str | int]) -> list[str]:
    """The settings of the dataclass that is at a path in ``cls``."""
    kind: Any = reduce(_kind_of, map(str, path), cls)
    return [field.name for field in dataclasses.fields(kind) if field.init] if dataclasses.is_dataclass(kind) else []


def _kind_of(kind: Any, part: str) -> Any:
    """The type of a part of a type: of a field of a dataclass, or of the entries of a mapping or list."""
    if dataclasses.is_dataclass(kind):
        kind = get_type_hints(kind).get(part)
    else:
        kind = get_args(kind)[-1] if get_args(kind) else None
    if isinstance(kind, UnionType):  # X | None
        kind = next((other for other in get_args(kind) if other is not type(None)), None)
    return kind


_PLAIN = frozenset((str, int, float, bool))


def _written(value: Any) -> Any:
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is tuple and _PLAIN.issuperset(map(type, value)):  # ids of hundreds of topics
        return list(value)
    if dataclasses.is_dataclass(value):
        return write_settings(value)
    if isinstance(value, Mapping):
        return {str(key): _written(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_written(entry) for entry in value]
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__}")
