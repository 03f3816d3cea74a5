"""What follows from a recipe: which runs it needs, how its collection is indexed, what its tunings search."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from porism.analysis.analyzer import CHANNEL_SETS, DEFAULT_FORMULAS, TEXT_CHANNELS, AnalysisConfig
from porism.analysis.channels import UnknownChannel, parse_channel
from porism.analysis.tokenizers.tokenizer import TokenizerReference
from porism.errors import ConfigError, PorismError
from porism.recipes.reading import Draft
from porism.recipes.settings import PipelineSettings, Recipe, ReportSettings, TuningSettings
from porism.recipes.systems import (
    Definition,
    can_answer,
    flat_parameters,
    is_formula_set,
    needs,
    owner_of,
    pipeline_model,
)
from porism.recipes.terms import planned_tokenizers, tokenizer_of, trained_channels
from porism.retrieve.models import channels_of
from porism.settings import Path as SettingPath
from porism.tuning import Search, Space, make_search
from porism.tuning.parameters import Parameter, read_parameter


def demanded(recipe: Recipe) -> tuple[tuple[str, str], ...]:
    """(system, topic set) of all runs that the reports need, sources first; of all that can be made without reports."""
    wanted: list[tuple[str, str]] = []
    for report in recipe.report.values():
        wanted += [(system, report.on) for system in (*report_systems(recipe, report), *report.ablation)]
    if not recipe.report:
        wanted = [
            (system, topics) for topics in recipe.topics for system in recipe.kinds
            if can_answer(recipe, system, topics)
        ]
    known = recipe.kinds
    return needs(recipe, [(system, topics) for system, topics in wanted if system in known])


def report_systems(recipe: Recipe, report: ReportSettings) -> tuple[str, ...]:
    """The systems of a report: those that it names, or all that can answer its topics."""
    if report.systems is not None:
        return tuple(dict.fromkeys(report.systems))
    return tuple(system for system in recipe.kinds if can_answer(recipe, system, report.on))


def part_names(split: object) -> tuple[str, ...]:
    """The names of the parts that a topic set is split into."""
    if split == "arqmath-2021":
        return ("train", "validation", "test", "smaller-train", "smaller-validation", "bigger-train")
    return tuple(split) if isinstance(split, Mapping) else ()


def tuning_search(tuning: TuningSettings, seed: int) -> Search:
    """The search of a tuning; one that draws numbers has the tuning's seed, or the recipe's.

    :raises ConfigError: there is no such search, or it has no such setting.
    """
    given = {
        name: value for name in ("trials", "rounds", "starts", "most") if (value := getattr(tuning, name)) is not None
    }
    if tuning.search in ("random", "coordinate"):
        given["seed"] = seed if tuning.seed is None else tuning.seed
    return make_search(tuning.search, given)


def read_tuned(recipe: Recipe, owner: str, path: str, values: Any, at: SettingPath = ()) -> Parameter:
    """The values of one parameter of a system; a simplex has a weight for each system of a fusion.

    :raises SettingError: they are nothing to choose from.
    """
    systems = len(recipe.fusions[owner].of) if owner in recipe.fusions and "." not in path else None
    return read_parameter(values, at=at, systems=systems)


def tuning_space(recipe: Recipe, tuning: TuningSettings, formulas: bool, draft: Draft) -> Space:
    """The space of a tuning that was checked."""
    found = {}
    for path, (values, _) in flat_parameters(tuning.parameters).items():
        owner, inner = owner_of(recipe, tuning, path, formulas, draft.folder)
        found[path] = read_tuned(recipe, owner, inner, values)
    return Space(found)


def analysis_config(
    recipe: Recipe, folder: Path, tokenizers: Mapping[str, TokenizerReference] | None = None
) -> AnalysisConfig:
    """How the collection is indexed: by ``default`` with all channels that the recipe names elsewhere.

    Channels of tokenizers that are not among ``tokenizers`` (by default those of the recipe, not yet trained) are left
    out.

    :raises ConfigError: a channel or the language does not exist.
    """
    collection = recipe.collection
    assert collection is not None, "only recipes with a collection index one"
    known = planned_tokenizers(recipe, folder) if tokenizers is None else tokenizers
    text: list[str] = []
    formulas: list[str] = []
    for name in collection_channels(recipe, folder):
        needed = tokenizer_of(name)
        if needed is not None and needed not in known:
            continue
        (text if parse_channel(name, known.values()).reads == "text" else formulas).append(name)
    used = dict.fromkeys(tokenizer_of(name) for name in (*text, *formulas))
    return AnalysisConfig(
        tuple(text) or TEXT_CHANNELS, tuple(formulas) or DEFAULT_FORMULAS, language=collection.language,
        tokenizers=tuple(known[name] for name in used if name is not None),
    )


def collection_channels(recipe: Recipe, folder: Path) -> list[str]:
    """The channels that the collection is to have, sets of them spelled out."""
    collection = recipe.collection
    assert collection is not None, "only recipes with a collection have channels"
    named: list[str] = []
    if isinstance(collection.channels, str):
        named = [name for pipeline in recipe.pipelines.values() for name in _named_channels(pipeline, recipe, folder)]
        named += [
            channel for name in recipe.rerankers for channel in reranker_channels(recipe, name, folder)
            if _is_channel(channel)
        ]
        named = [collection.channels, *named, *trained_channels(recipe)]
    else:
        named = list(collection.channels)
    return list(dict.fromkeys(channel for name in named for channel in CHANNEL_SETS.get(name, (name,))))


def reranker_channels(recipe: Recipe, name: str, folder: Path) -> tuple[str, ...]:
    """The channels that a reranker asks; none if it cannot be made, which is told elsewhere."""
    with suppress(PorismError):
        definition = Definition(recipe, folder, name)
        return definition.kind.channels(definition.reranker({})[1])
    return ()


def _named_channels(pipeline: PipelineSettings, recipe: Recipe, folder: Path) -> list[str]:
    """The channels of a pipeline's model, for each kind of topics that the recipe has."""
    found: list[str] = []
    for formulas in {is_formula_set(topics) for topics in recipe.topics.values()}:
        with suppress(PorismError):  # a model that cannot be made is told elsewhere
            found += channels_of(pipeline_model(pipeline, formulas, folder))
    return [name for name in found if _is_channel(name)]


def _is_channel(name: str) -> bool:
    try:
        parse_channel(name)
    except UnknownChannel:
        return False
    except ConfigError:  # its options are wrong, which is reported elsewhere
        pass
    return True
