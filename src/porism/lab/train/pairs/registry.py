"""All miners of training pairs, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from porism.lab.train.pairs.base import Miner
from porism.lab.train.pairs.judgments import JudgmentsMiner
from porism.lab.train.pairs.posts import AnswersMiner, LinksMiner
from porism.lab.train.pairs.statements import Citations, References
from porism.lab.train.pairs.texts import Halves, Openings, Titles
from porism.settings import parse_assignments, read_named

MINERS: Mapping[str, type[Miner]] = MappingProxyType({
    miner.name: miner
    for miner in (AnswersMiner, LinksMiner, Citations, References, Titles, Openings, Halves, JudgmentsMiner)
})
"""The miners. A new one is a module of this folder and a name here."""


def make_miner(name: str, settings: Mapping[str, Any] | None = None) -> Miner:
    """A miner with settings as plain values.

    :raises ConfigError: there is no such miner, or a setting does not exist or fit.
    """
    return read_named(MINERS, name, settings, "miner of pairs")


def parse_miner(written: str) -> Miner:
    """A miner as a command has it: ``answers`` or ``answers:accepted=true;votes=7``.

    :raises ConfigError: there is no such miner, or a setting does not exist or fit.
    """
    name, _, rest = written.partition(":")
    name = name.strip()
    given = parse_assignments(part for part in rest.split(";") if part.strip())
    return make_miner(name, {key: _as_list(MINERS.get(name), key, value) for key, value in given.items()})


def usual_miners(metadata: Iterable[str], fields: Iterable[str]) -> list[Miner]:
    """The miners that fit a collection, by the keys of its metadata and its fields.

    Questions with answers give ``answers`` and ``links``, labels give ``references``, titles ``titles``; ``halves`` is
    taken where the collection has neither questions nor titles.
    """
    keys, names = set(metadata), set(fields)
    found: list[Miner] = []
    if "question" in names or "answers" in names:
        found.append(AnswersMiner())
    if "duplicates" in keys:
        found.append(LinksMiner())
    if "labels" in keys:
        found.append(References())
    if "title" in names and "question" not in names and "answers" not in names:
        found.append(Titles())
    return found or [Halves()]


def _as_list(miner: type[Miner] | None, key: str, value: Any) -> Any:
    """A single word where the setting is a list."""
    default = getattr(miner, "__dataclass_fields__", {}).get(key)
    return [value] if default is not None and isinstance(default.default, tuple) and isinstance(value, str) else value
