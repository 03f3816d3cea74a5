"""The graph of a recipe's systems: what each is made of, in which order they are made, and which runs are needed."""

from __future__ import annotations

from collections.abc import Iterable

from porism.lab.recipes.recipe import Recipe, base_set

Needed = tuple[tuple[str, str], ...]
"""(system, topic set) of runs."""


def ordered(recipe: Recipe) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The systems, sources before what is made of them; and those that are made of themselves, which have no place."""
    waiting = {name: set(sources) for name, sources in _sources(recipe).items()}
    users: dict[str, list[str]] = {name: [] for name in waiting}
    for name, sources in waiting.items():
        for source in sources:
            users[source].append(name)
    found = [name for name, sources in waiting.items() if not sources]
    for name in found:  # it grows on the way
        for user in users[name]:
            waiting[user].discard(name)
            if not waiting[user]:
                found.append(user)
    return tuple(found), tuple(name for name in waiting if waiting[name])


def cycle(recipe: Recipe) -> tuple[str, ...]:
    """A circle of systems that are made of each other, the first one again at its end; empty if there is none."""
    _, rest = ordered(recipe)
    left = set(rest)
    sources = _sources(recipe)
    path: dict[str, None] = {}
    name = rest[0] if rest else ""
    while name and name not in path:
        path[name] = None
        name = next((source for source in sources[name] if source in left), "")
    names = list(path)
    return (*names[names.index(name) :], name) if name else ()


def members(recipe: Recipe, system: str) -> tuple[str, ...]:
    """A system and all that it is made of, each once, sources first."""
    return _reached(recipe, system, through_tuned=True)


def untuned_members(recipe: Recipe, system: str) -> tuple[str, ...]:
    """As :func:`members`, but not what tuned systems are made of: their parameters are chosen elsewhere."""
    return _reached(recipe, system, through_tuned=False)


def needs(recipe: Recipe, wanted: Iterable[tuple[str, str]]) -> Needed:
    """(system, topic set) of all runs that the wanted ones are made of, sources first; for recipes without cycles.

    Parts of topic sets are answered with their whole set.
    """
    systems, sources = recipe.systems, _sources(recipe)
    found: dict[tuple[str, str], None] = {}
    waiting = [(system, base_set(topics)) for system, topics in wanted]
    while waiting:
        system, topics = waiting.pop()
        if (system, topics) in found:
            continue
        found[(system, topics)] = None
        for source in sources.get(system, ()):
            taught = systems[system].learns_on
            waiting += [(source, name) for name in ((topics, base_set(taught)) if taught else (topics,))]
    place = {name: number for number, name in enumerate(ordered(recipe)[0])}
    sets = {name: number for number, name in enumerate(recipe.tables.get("topics", ()))}
    return tuple(sorted(found, key=lambda pair: (place.get(pair[0], -1), sets.get(pair[1], -1))))


def can_answer(recipe: Recipe, system: str, topics: str) -> bool:
    """Whether a system, and all that it is made of, can answer a topic set."""
    systems = recipe.systems
    return all(systems[part].can_answer(recipe, base_set(topics)) for part in members(recipe, system))


def answerable(recipe: Recipe, topics: str) -> tuple[str, ...]:
    """The systems that can answer a topic set."""
    return tuple(system for system in recipe.systems if can_answer(recipe, system, topics))


def demanded(recipe: Recipe) -> Needed:
    """(system, topic set) of all runs that the results need, sources first; without results of all that can be made."""
    wanted: list[tuple[str, str]] = []
    for result in recipe.results.values():
        wanted += result.needed_runs(recipe)
    if not recipe.results:
        wanted = [(system, name) for name in recipe.tables.get("topics", ()) for system in answerable(recipe, name)]
    known = recipe.systems
    return needs(recipe, [(system, topics) for system, topics in wanted if system in known])


def _sources(recipe: Recipe) -> dict[str, tuple[str, ...]]:
    """System → the systems that it is made of, those that the recipe does not have left out."""
    systems = recipe.systems
    return {
        name: tuple(source for source in settings.sources if source in systems) for name, settings in systems.items()
    }


def _reached(recipe: Recipe, system: str, through_tuned: bool) -> tuple[str, ...]:
    systems, sources = recipe.systems, _sources(recipe)
    found: dict[str, None] = {system: None}
    waiting = [system]
    while waiting:
        for source in sources.get(waiting.pop(), ()):
            if source not in found and (through_tuned or not systems[source].is_tuned):
                found[source] = None
                waiting.append(source)
    order, rest = ordered(recipe)
    return tuple(name for name in (*order, *rest) if name in found)
