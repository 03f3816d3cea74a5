"""The systems of a recipe: what each is made of, which topics it can answer, and which settings it has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from porism.errors import ConfigError
from porism.fusion import FUSIONS, LEARNED, Fusion, make_fusion
from porism.pipeline.rerankers.registry import RerankerKind, reranker_kind, split_depth
from porism.recipes.paths import opened
from porism.recipes.settings import FusionSettings, PipelineSettings, Recipe, TopicSettings, TuningSettings
from porism.retrieve import RetrieverSettings
from porism.retrieve.models import model_from, named_model, settings_class, tuned_further, write_model
from porism.settings import SettingError, nearest, write_settings
from porism.tuning import with_parameters

Parameters = Mapping[str, Mapping[str, Any]]
"""System → dotted path → value: settings that differ from those of the recipe."""


def base_set(topics: str) -> str:
    """The topic set of the recipe that a set or a part of one (``dev.train``) belongs to."""
    return topics.partition(".")[0]


def direct_sources(recipe: Recipe, system: str) -> tuple[str, ...]:
    """The systems that one is made of, those that the recipe does not have left out."""
    known = recipe.kinds
    if system in recipe.fusions:
        return tuple(name for name in recipe.fusions[system].of if name in known)
    if system in recipe.tuning:
        return tuple(name for name in (recipe.tuning[system].of,) if name in known)
    if system in recipe.rerankers:
        return tuple(name for name in (recipe.rerankers[system].of,) if name in known)
    return ()


def ordered(recipe: Recipe) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The systems, sources before what is made of them; and those that are made of themselves, which have no place."""
    waiting = {name: set(direct_sources(recipe, name)) for name in recipe.kinds}
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
    path: dict[str, None] = {}
    name = rest[0] if rest else ""
    while name and name not in path:
        path[name] = None
        name = next((source for source in direct_sources(recipe, name) if source in left), "")
    names = list(path)
    return (*names[names.index(name):], name) if name else ()


def members(recipe: Recipe, system: str) -> tuple[str, ...]:
    """A system and all that it is made of, each once, sources first."""
    found: dict[str, None] = {system: None}
    waiting = [system]
    while waiting:
        for source in direct_sources(recipe, waiting.pop()):
            if source not in found:
                found[source] = None
                waiting.append(source)
    order, rest = ordered(recipe)
    return tuple(name for name in (*order, *rest) if name in found)


def untuned_members(recipe: Recipe, system: str) -> tuple[str, ...]:
    """As :func:`members`, but not what tuned systems are made of: their parameters are chosen elsewhere."""
    found = {system}
    waiting = [system]
    while waiting:
        for source in direct_sources(recipe, waiting.pop()):
            if source not in found and source not in recipe.tuning:
                found.add(source)
                waiting.append(source)
    return tuple(name for name in members(recipe, system) if name in found)


def needs(recipe: Recipe, wanted: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """(system, topic set) of all runs that the wanted ones are made of, sources first; for recipes without cycles.

    Parts of topic sets are answered with their whole set.
    """
    found: dict[tuple[str, str], None] = {}
    waiting = [(system, base_set(topics)) for system, topics in wanted]
    while waiting:
        system, topics = waiting.pop()
        if (system, topics) in found:
            continue
        found[(system, topics)] = None
        for source in direct_sources(recipe, system):
            waiting += [(source, name) for name in (topics, *learning_sets(recipe, system))]
    place = {name: number for number, name in enumerate(ordered(recipe)[0])}
    sets = {name: number for number, name in enumerate(recipe.topics)}
    return tuple(sorted(found, key=lambda pair: (place.get(pair[0], -1), sets.get(pair[1], -1))))


def learning_sets(recipe: Recipe, system: str) -> tuple[str, ...]:
    """The topic sets by whose judgments a system is tuned or trained."""
    if system in recipe.tuning:
        return (base_set(recipe.tuning[system].on),)
    if system in recipe.fusions and (on := recipe.fusions[system].train_on):
        return (base_set(on),)
    return ()


def fusion_below(recipe: Recipe, system: str) -> str:
    """The fusion that a system is, or is the tuned form of; empty if it is none."""
    if system in recipe.tuning:
        system = recipe.tuning[system].of
    return system if system in recipe.fusions else ""


def asks_index(recipe: Recipe, system: str) -> bool:
    """Whether a system itself asks the index, and not only those that it is made of."""
    return system in recipe.pipelines or system in recipe.rerankers


def can_answer(recipe: Recipe, system: str, topics: str) -> bool:
    """Whether a system can answer a topic set: its runs have a file for it, its pipelines topics and a collection,
    and its rerankers are to order documents."""
    name = base_set(topics)
    given = recipe.topics.get(name)
    for part in members(recipe, system):
        if part in recipe.runs and name not in recipe.runs[part].files:
            return False
        if asks_index(recipe, part) and (recipe.collection is None or given is None or given.path is None):
            return False
        if part in recipe.rerankers and is_formula_set(given):
            return False
    return True


def pipeline_model(settings: PipelineSettings, formulas: bool, folder: Path) -> RetrieverSettings:
    """The model of a pipeline, for topics that ask for documents or for formulas.

    :raises ConfigError: the named model or file does not exist; a SettingError where a setting does not fit.
    """
    return named_model(settings.model, settings.settings, formulas, folder)


def fusion_method(settings: FusionSettings, seed: int) -> Fusion:
    """The fusion of a recipe; a method that draws numbers has the recipe's seed if it is given none of its own.

    :raises ConfigError: the method does not exist; a SettingError where a parameter does not fit.
    """
    if settings.method not in FUSIONS:
        raise SettingError(
            f"there is no fusion {settings.method!r}", path=("method",), hint=nearest(settings.method, FUSIONS)
        )
    parameters = dict(settings.parameters)
    if "seed" in FUSIONS[settings.method].__dataclass_fields__:
        parameters.setdefault("seed", seed)
    return make_fusion(settings.method, parameters)


@dataclass(frozen=True, slots=True)
class Definition:
    """A pipeline, a reranker or a fusion with all its settings, some of which can be replaced."""

    recipe: Recipe
    folder: Path
    system: str

    def settings(self, formulas: bool = False) -> dict[str, Any]:
        """All settings of the model, the reranker or the method, those that are None too."""
        if self.system in self.recipe.pipelines:
            model = pipeline_model(self.recipe.pipelines[self.system], formulas, self.folder)
            return write_model(model, formulas)
        if self.system in self.recipe.rerankers:
            reranker = self.recipe.rerankers[self.system]
            return {"depth": reranker.depth} | self.kind.settings(reranker.model, reranker.settings, self.folder)
        fusion = self._fusion
        method = fusion_method(fusion, self.recipe.seed)
        names = [name for name, field in type(method).__dataclass_fields__.items() if field.init]
        return dict.fromkeys(names) | write_settings(method)

    def model(self, values: Mapping[str, Any], formulas: bool) -> RetrieverSettings:
        """The model of a pipeline with other values at dotted paths.

        :raises ConfigError: a path leads nowhere, or a value does not fit.
        """
        return model_from(self.varied(values, formulas), formulas)

    def varied(self, values: Mapping[str, Any], formulas: bool = False) -> dict[str, Any]:
        """All settings of a pipeline or a reranker with other values at dotted paths, as plain values.

        :raises UnknownParameter: a path leads nowhere.
        """
        settings = self.settings(formulas)
        return with_parameters(opened(settings_class(settings, formulas), settings, values), values)

    @property
    def kind(self) -> RerankerKind:
        """The kind of a reranker.

        :raises SettingError: there is no such kind.
        """
        return reranker_kind(self.recipe.rerankers[self.system].kind)

    def reranker(self, values: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """The depth and the other settings of a reranker with other values at dotted paths.

        :raises ConfigError: a path leads nowhere, or a value does not fit.
        """
        depth, settings = split_depth(self.varied(values))
        self.kind.check(settings)
        return depth, settings

    def check(self, values: Mapping[str, Any], formulas: bool) -> None:
        """Whether the system can have other values at dotted paths.

        :raises ConfigError: a path leads nowhere, or a value does not fit.
        """
        if self.system in self.recipe.pipelines:
            self.model(values, formulas)
        elif self.system in self.recipe.rerankers:
            self.reranker(values)
        else:
            self.fusion(values)

    def stored(self, values: Mapping[str, Any], formulas: bool, tuned_on: tuple[str, ...]) -> dict[str, Any] | None:
        """The model of a pipeline or a reranker with other values at dotted paths, chosen on these topics, as a file
        has it; None for a fusion, which has none."""
        if self.system in self.recipe.pipelines:
            return write_model(tuned_further(self.model(values, formulas), tuned_on), formulas)
        if self.system in self.recipe.rerankers:
            return self.kind.stored(self.reranker(values)[1], tuned_on)
        return None

    def fusion(self, values: Mapping[str, Any]) -> Fusion:
        """The method of a fusion with other values at dotted paths.

        :raises ConfigError: a path leads nowhere, or a value does not fit.
        """
        settings = self.settings()
        if settings.get("weights", 1) is None and any(path.startswith("weights.") for path in values):
            settings["weights"] = [1.0] * len(self._fusion.of)
        settings = with_parameters(settings, values)
        given = {name: value for name, value in settings.items() if value is not None}
        return make_fusion(self._fusion.method, given)

    @property
    def _fusion(self) -> FusionSettings:
        return self.recipe.fusions[self.system]


def owner_of(recipe: Recipe, tuning: TuningSettings, path: str, formulas: bool, folder: Path) -> tuple[str, str]:
    """The system whose parameter a tuning's dotted path names, and the path within that.

    The system's own settings come first; a path can also begin with the name of a pipeline, reranker or fusion that it
    is made of.

    :raises SettingError: it is no parameter of any of them.
    """
    own = Definition(recipe, folder, tuning.of)
    names = list(own.settings(formulas))
    if path.split(".")[0] in names:
        return tuning.of, path
    inner = [name for name in untuned_members(recipe, tuning.of) if name != tuning.of and name not in recipe.runs]
    for name in sorted(inner, key=len, reverse=True):
        if path.startswith(f"{name}."):
            return name, path.removeprefix(f"{name}.")
    hint = nearest(path.split(".")[0], [*names, *inner])
    raise SettingError(f"{tuning.of!r} has no parameter {path!r}", path=(path,), hint=hint)


def split_by_system(
    recipe: Recipe, tuning: TuningSettings, values: Mapping[str, Any], formulas: bool, folder: Path
) -> dict[str, dict[str, Any]]:
    """Values by dotted path as :data:`Parameters`: by the system that each belongs to."""
    found: dict[str, dict[str, Any]] = {}
    for path, value in values.items():
        system, inner = owner_of(recipe, tuning, path, formulas, folder)
        found.setdefault(system, {})[inner] = value
    return found


def flat_parameters(given: Mapping[str, Any], at: tuple[str, ...] = ()) -> dict[str, tuple[Any, tuple[str, ...]]]:
    """Dotted path → what the recipe says of its values, and where in the table that stands.

    Paths may be written as one quoted name or as nested tables (``feedback.weight = [0.1, 0.2]``).
    """
    found: dict[str, tuple[Any, tuple[str, ...]]] = {}
    for name, value in given.items():
        place = (*at, name)
        is_range = isinstance(value, Mapping) and bool({"low", "high", "simplex"} & set(value))
        if isinstance(value, Mapping) and not is_range and value:
            found |= flat_parameters(value, place)
        else:
            found[".".join(place)] = (value, place)
    return found


def is_formula_set(topics: TopicSettings | None) -> bool:
    """Whether topics ask for formulas."""
    return topics is not None and topics.formulas


def check_trainable(method: str) -> None:
    """Refuses methods that learn nothing.

    :raises ConfigError: it is one.
    """
    if method not in LEARNED:
        raise ConfigError(f"the fusion {method!r} learns nothing", hint=f"Those that do are {' and '.join(LEARNED)}.")
