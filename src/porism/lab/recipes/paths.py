"""Dotted paths to what settings leave out: optional settings, and entries of tables of numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints


def opened(kind: type[Any], settings: Mapping[str, Any], paths: Iterable[str]) -> dict[str, Any]:
    """The plain settings of a dataclass, with a place for what each dotted path leads to and they leave out.

    That is an optional setting that is None (``channels.words.power``), an entry of a table of numbers
    (``channels.words.parameters.slope``). Or it is one of an optional table of these, which begins as the table of the
    same name of the whole: ``channels.words.field_weights.title`` leads into the model's own ``field_weights``. Other
    paths that lead nowhere still do.
    """
    result = dict(settings)
    for path in paths:
        result = _opened(kind, result, path.split("."), settings)
    return result


def _opened(kind: Any, node: Any, parts: list[str], whole: Mapping[str, Any]) -> Any:
    if not parts or not isinstance(node, Mapping):
        return node
    for length in range(1, len(parts) + 1):  # names can have dots
        name = ".".join(parts[:length])
        if name in node:
            return {**node, name: _opened(_kind_of(kind, name), node[name], parts[length:], whole)}
    first, *rest = parts
    inner = _kind_of(kind, first)
    if dataclasses.is_dataclass(kind):
        if inner is not None and not rest:
            return {**node, first: None}
        if inner is not None and _is_table(inner):
            begun = whole.get(first)
            return {**node, first: _opened(inner, dict(begun) if isinstance(begun, Mapping) else {}, rest, whole)}
        return node
    return {**node, ".".join(parts): None} if inner in (int, float) else node


def _kind_of(kind: Any, name: str) -> Any:
    """The type of a setting of a dataclass, or of the entries of a table; None if there is none."""
    if dataclasses.is_dataclass(kind):
        inner = get_type_hints(kind).get(name)
    else:
        inner = get_args(kind)[1] if _is_table(kind) else None
    if get_origin(inner) in (UnionType, Union):
        inner = next((other for other in get_args(inner) if other is not type(None)), None)
    return inner


def _is_table(kind: Any) -> bool:
    return get_origin(kind) is Mapping
