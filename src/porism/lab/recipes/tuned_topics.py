"""What systems know of the topics that they are reported on, and the warnings that say so before any work."""

from __future__ import annotations

from collections.abc import Sequence

from porism.lab.recipes.draft import Draft
from porism.lab.recipes.graph import members
from porism.lab.recipes.kinds.base import kind_of
from porism.lab.recipes.kinds.topics import topic_set
from porism.lab.recipes.loading import Data
from porism.lab.recipes.recipe import ResultSettings

_NAMED = 3
"""So many systems are named in a warning about more than one besides these."""


def learned_warnings(draft: Draft, data: Data, result: ResultSettings) -> list[str]:
    """A sentence on each way in which systems of a result learned from its topics; alike ones share a sentence."""
    recipe = draft.recipe
    alike: dict[tuple[str, bool, tuple[str, ...]], dict[str, dict[str, None]]] = {}
    for system in result.shown(recipe):
        for part, topics in learned_topics(draft, data, system, result.topics).items():
            how = kind_of(recipe, part).how_learned
            alike.setdefault((how, part == system, topics), {}).setdefault(system, {})[part] = None
    found = []
    for (how, itself, topics), systems in alike.items():
        several = len(systems) > 1
        parts = list(dict.fromkeys(part for named in systems.values() for part in named))
        if itself:
            subject = ("their models" if several else "its model") if how == "model" else "they" if several else "it"
            many = several
        else:
            many = len(parts) > 1
            subject = f"the {'models' if many else 'model'} of {_listed(parts)}" if how == "model" else _listed(parts)
        verb = f"{'were' if many else 'was'} {'trained' if how == 'training' else 'tuned'} on"
        count = f"{len(topics):,} {'topic' if len(topics) == 1 else 'topics'} of {result.topics!r}"
        found.append(
            f"{_listed(list(systems))} {'are' if several else 'is'} reported on {count} that {subject} {verb}; "
            "the report says so"
        )
    return found


def learned_topics(draft: Draft, data: Data, system: str, on: str) -> dict[str, tuple[str, ...]]:
    """Which of the topics ``on`` had a part in choosing how they themselves are ranked, by what learned from them.

    That is a tuned system, a trained fusion or the model of a pipeline or reranker, of all that a system is made of.
    Held-out rankings of a cross-validation do not count.
    """
    judged = topic_set(data, on).judged(on)
    found: dict[str, tuple[str, ...]] = {}
    for part in members(draft.recipe, system):
        known = set(kind_of(draft.recipe, part).learned_topics(draft, data, part, on))
        if both := tuple(topic for topic in judged if topic in known):
            found[part] = both
    return found


def _listed(names: Sequence[str]) -> str:
    """``a, b and c``; of many the first and how many more there are."""
    if len(names) > _NAMED + 1:
        return f"{', '.join(names[:_NAMED])} … and {len(names) - _NAMED} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
