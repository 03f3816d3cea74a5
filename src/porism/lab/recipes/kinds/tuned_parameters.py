"""The parameters of a system that a tuning chooses: whose each dotted path is, and the values to try."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from porism.errors import ConfigError, PorismError
from porism.lab.recipes.checking import Check
from porism.lab.recipes.draft import Draft
from porism.lab.recipes.execution import Parameters
from porism.lab.recipes.kinds.base import kind_of
from porism.lab.recipes.kinds.similarities import matrices
from porism.lab.recipes.recipe import Recipe, untuned_members
from porism.lab.tuning import Choices, Space
from porism.lab.tuning.parameters import Parameter, read_parameter
from porism.settings import Path, SettingError, nearest

_MAX_CHECKED = 50


def owner_of(draft: Draft, of: str, path: str, formulas: bool) -> tuple[str, str]:
    """The system whose parameter a dotted path names in the tuning of a system, and the path within that.

    The system's own settings come first; a path can also begin with the name of a pipeline, reranker or fusion that it
    is made of.

    :raises SettingError: it is not a parameter of any of them.
    """
    recipe = draft.recipe
    names = list(kind_of(recipe, of).parameters(draft, of, formulas))
    if path.split(".")[0] in names:
        return of, path
    inner = [name for name in untuned_members(recipe, of) if name != of and not kind_of(recipe, name).untunable]
    for name in sorted(inner, key=len, reverse=True):
        if path.startswith(f"{name}."):
            return name, path.removeprefix(f"{name}.")
    hint = nearest(path.split(".")[0], [*names, *inner])
    raise SettingError(f"{of!r} has no parameter {path!r}", path=(path,), hint=hint)


def linked(path: str) -> list[str]:
    """The parameters that a dotted path of a tuning names: one, or several with ``=`` between them that have one value.
    Such are the weights of the title in documents and in questions."""
    return [part.strip() for part in path.split("=")]


def values_by_system(draft: Draft, of: str, values: Mapping[str, Any], formulas: bool) -> Parameters:
    """Tuned values of a system's parameters by the system that each belongs to."""
    by_system: dict[str, dict[str, Any]] = {}
    for path, value in values.items():
        for part in linked(path):
            owner, inner = owner_of(draft, of, part, formulas)
            by_system.setdefault(owner, {})[inner] = value
    return by_system


def flat_parameters(
    recipe: Recipe, given: Mapping[str, Any], at: tuple[str, ...] = ()
) -> dict[str, tuple[Any, tuple[str, ...]]]:
    """Dotted path → what the recipe says of its values, and its place in the table.

    Paths may be written as one quoted name or as nested tables (``feedback.weight = [0.1, 0.2]``). The values of
    ``{matrices = "NAME"}`` are the matrices of the table ``[similarities.NAME]``, one for each α, and none.
    """
    flat: dict[str, tuple[Any, tuple[str, ...]]] = {}
    for name, value in given.items():
        place = (*at, name)
        is_range = isinstance(value, Mapping) and bool({"low", "high", "simplex"} & set(value))
        if isinstance(value, Mapping) and set(value) == {"matrices"}:
            made = [matrix.name for matrix in matrices(recipe).values() if matrix.table == value["matrices"]]
            if not made:
                raise SettingError(
                    f"there are no matrices of a table {value['matrices']!r}", path=place,
                    hint=nearest(str(value["matrices"]), recipe.tables.get("similarities", ())),
                )
            flat[".".join(place)] = ([*made, ""], place)
        elif isinstance(value, Mapping) and not is_range and value:
            flat |= flat_parameters(recipe, value, place)
        else:
            flat[".".join(place)] = (value, place)
    return flat


def parameter_space(draft: Draft, of: str, parameters: Mapping[str, Any], formulas: bool) -> Space:
    """The space of a tuning that was checked."""
    space = {}
    for path, (values, _) in flat_parameters(draft.recipe, parameters).items():
        owner, inner = owner_of(draft, of, linked(path)[0], formulas)
        space[path] = _read_values(draft, owner, inner, values)
    return Space(space)


def _read_values(draft: Draft, owner: str, path: str, values: Any, at: Path = ()) -> Parameter:
    """The values of one parameter of a system; a simplex has a weight for each system of a fusion."""
    weights = kind_of(draft.recipe, owner).weights(draft.recipe.systems[owner]) if "." not in path else None
    return read_parameter(values, at=at, systems=weights)


def chosen_similarities(draft: Draft, of: str, parameters: Mapping[str, Any], formulas: bool) -> tuple[str, ...]:
    """The similarity matrices among which the values to try of a system's parameters choose."""
    names: dict[str, None] = {}
    flat = flat_parameters(draft.recipe, parameters)
    places = ((part, listed) for path, (listed, _) in flat.items() for part in linked(path))
    for path, listed in places:
        owner, inner = owner_of(draft, of, path, formulas)
        kind = kind_of(draft.recipe, owner)
        for value in listed if isinstance(listed, (list, tuple)) else ():
            with suppress(PorismError):  # a value that does not fit is reported elsewhere
                names |= dict.fromkeys(kind.similarities(draft, owner, formulas, {inner: value}))
    return tuple(names)


def check_parameters(check: Check, of: str, parameters: Mapping[str, Any], formulas: bool, path: Path) -> None:
    """Whether a system has the parameters, and can have the values; ``path`` is where the recipe lists them."""
    try:
        flat = flat_parameters(check.recipe, parameters)
    except SettingError as error:
        check.errors.error(error.what, (*path, *error.path), error.hint)
        return
    places = ((part, values, place) for written, (values, place) in flat.items() for part in linked(written))
    for dotted_path, values, place in places:
        at = (*path, *place)
        try:
            owner, inner = owner_of(check.draft, of, dotted_path, formulas)
        except ConfigError as error:
            check.errors.error(error.what, at, error.hint)
            continue
        try:
            parameter = _read_values(check.draft, owner, inner, values, at)
        except ConfigError as error:
            check.errors.take(error, at)
            continue
        kind = kind_of(check.recipe, owner)
        for value in _some_values(parameter):
            try:
                kind.check_values(check, owner, {inner: value}, formulas, at)
            except ConfigError as error:
                check.errors.error(f"{'.'.join(map(str, at))} cannot be {value!r}: {error.what}", at, error.hint)
                break


def _some_values(parameter: Parameter) -> list[Any]:
    """Values to try before any work: all of a short list, the ends of a range."""
    if isinstance(parameter, Choices) and parameter.size <= _MAX_CHECKED:
        return list(parameter.values)
    return [parameter.point(0), parameter.point(parameter.size - 1)]
