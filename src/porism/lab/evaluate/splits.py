"""Parts of a set of topics: folds for cross-validation, and stratified train, validation and test parts.

What is drawn depends on the seed and on the topics' ids alone, not on the order in which they come nor on the version
of a random generator. The draw is an order by a digest of the seed and the id.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from porism.errors import ConfigError

ARQMATH_2021_SHARES = {"train": 5, "validation": 1, "test": 1}
"""Sevenths of the topics: 55, 11 and 11 of 77."""

def _topics_2020(numbers: str) -> tuple[str, ...]:
    return tuple(f"A.{number}" for number in numbers.split())


_INNER_SHARES = {"smaller-train": 4, "smaller-validation": 1}


def k_fold(
    topics: Iterable[str], folds: int = 5, *, seed: int = 0, strata: Mapping[str, str] | None = None,
    groups: Mapping[str, str] | None = None,
) -> tuple[tuple[str, ...], ...]:
    """Divides the topics into parts whose sizes differ by at most one; each topic is held out with one of them.

    ``strata`` (topic → category) spreads the topics of each category as evenly over the folds. ``groups`` (topic →
    group) does the opposite: topics of one group stay in one fold, so sizes differ more; for topics that are versions
    of each other. Within a fold topics keep the order given.

    :raises ConfigError: there are fewer than two folds, fewer topics (or groups) than folds, a topic occurs twice or
        has no category or group, or both ``strata`` and ``groups`` are given.
    """
    ordered = _distinct(topics)
    if strata is not None and groups is not None:
        raise ConfigError("folds cannot be made by strata and by groups at once", hint="Give one of them.")
    units = len(ordered) if groups is None else len(set(_labels(ordered, groups, "group").values()))
    kind = "topics" if groups is None else "groups of topics"
    if not 2 <= folds <= units:
        raise ConfigError(
            f"{units:,} {kind} cannot be divided into {folds:,} folds",
            hint=f"Use 2 to {units:,} folds." if units >= 2 else "Cross-validation needs two at least.",
        )
    if groups is not None:
        return _grouped(ordered, folds, seed, groups)
    label = dict.fromkeys(ordered, "") if strata is None else _labels(ordered, strata, "category")
    # Categories one after the other, the largest first, dealt to the folds in turn: even in each, and in all.
    sizes = Counter(label.values())
    dealt = sorted(_shuffled(ordered, seed), key=lambda topic: (-sizes[label[topic]], label[topic]))
    fold_of = {topic: position % folds for position, topic in enumerate(dealt)}
    return tuple(tuple(topic for topic in ordered if fold_of[topic] == fold) for fold in range(folds))


def stratified_split(
    topics: Iterable[str], strata: Mapping[str, str], sizes: Mapping[str, int], *, seed: int = 0
) -> dict[str, tuple[str, ...]]:
    """Parts of given sizes, each with the share of every category that the topics have, by largest remainder.

    The parts are filled in the order of ``sizes``, each in proportion to what the earlier ones left. A category's part
    is its exact share rounded down. The topics still missing go to the categories with the largest remainders; of equal
    ones to the larger category, then to the first by name. Which topics of a category are taken is drawn by the seed.
    Within a part topics keep the order given.

    :raises ConfigError: a topic occurs twice or has no category, a size is negative, or the sizes do not add up to the
        number of topics.
    """
    ordered = _distinct(topics)
    label = _labels(ordered, strata, "category")
    if any(size < 0 for size in sizes.values()):
        raise ConfigError(f"a part cannot have {min(sizes.values())} topics")
    if sum(sizes.values()) != len(ordered):
        raise ConfigError(
            f"the parts {', '.join(f'{name} {size}' for name, size in sizes.items())} have {sum(sizes.values()):,} "
            f"topics together, and {len(ordered):,} are given",
            hint="The sizes must add up to all of them; name a part for the rest.",
        )
    left: dict[str, list[str]] = {}
    for topic in _shuffled(ordered, seed):
        left.setdefault(label[topic], []).append(topic)
    part_of: dict[str, str] = {}
    for name, size in sizes.items():
        for category, count in largest_remainder({key: len(left[key]) for key in sorted(left)}, size).items():
            part_of |= dict.fromkeys(left[category][:count], name)
            del left[category][:count]
    return {name: tuple(topic for topic in ordered if part_of[topic] == name) for name in sizes}


def arqmath_2021_split(categories: Mapping[str, str], *, seed: int = 0) -> dict[str, tuple[str, ...]]:
    """The six parts of the topics (topic → category) in the scheme of MIRMU at ARQMath 2021 (section 2.3).

    ``train`` (55 of 77), ``validation`` (11) and ``test`` (11) are stratified by category; ``smaller-train`` (44) and
    ``smaller-validation`` (11) are a simple random sample of ``train`` and the rest of it; ``bigger-train`` (66) is
    ``train`` and ``validation``. Other numbers of topics are divided 5 : 1 : 1 and 4 : 1 by largest remainder.

    :raises ConfigError: there are too few topics for each part to have one.
    """
    sizes = largest_remainder(ARQMATH_2021_SHARES, len(categories))
    inner = largest_remainder(_INNER_SHARES, sizes["train"])
    if not all((*sizes.values(), *inner.values())):
        raise ConfigError(f"{len(categories)} topics are too few for this scheme", hint="It needs 5 or more.")
    parts = stratified_split(categories, categories, sizes, seed=seed)
    sample = set(_shuffled(parts["train"], seed, "smaller")[: inner["smaller-train"]])
    bigger = {*parts["train"], *parts["validation"]}
    return {
        **parts,
        "smaller-train": tuple(topic for topic in parts["train"] if topic in sample),
        "smaller-validation": tuple(topic for topic in parts["train"] if topic not in sample),
        "bigger-train": tuple(topic for topic in categories if topic in bigger),
    }


PUBLISHED_2021: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "validation": _topics_2020("12 18 24 32 40 48 54 67 74 85 96"),
    "test": _topics_2020("8 16 27 29 42 44 49 51 53 80 99"),
})
"""The topics of ARQMath 2020 that MIRMU held out at ARQMath 2021: those of the files
``qrel_task1_2020-validation-pv211-utils.tsv`` and ``…-test-…`` of their library ARQMath-eval. The others were those to
train on."""


def published_2021_split(topics: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The parts of the topics of ARQMath 2020 as MIRMU published them: ``train``, ``validation``, ``test``, and
    ``bigger-train``, which is ``train`` and ``validation``. Topics that are not given are in no part.

    :raises ConfigError: none of the topics that were held out is given.
    """
    ordered = _distinct(topics)
    held_out = {topic: part for part, names in PUBLISHED_2021.items() for topic in names}
    part_of = {topic: held_out.get(topic, "train") for topic in ordered}
    if not any(topic in held_out for topic in ordered):
        raise ConfigError("the published parts are of the topics of ARQMath 2020", hint="None of them is here.")
    return {
        **{part: tuple(topic for topic in ordered if part_of[topic] == part) for part in ARQMATH_2021_SHARES},
        "bigger-train": tuple(topic for topic in ordered if part_of[topic] != "test"),
    }


def largest_remainder(shares: Mapping[str, int], total: int) -> dict[str, int]:
    """``total`` seats divided in proportion to the shares, each rounded down and the rest by largest remainder.

    Of equal remainders the larger share comes first, then the first given. No share gets more than its exact part
    rounded up.

    :raises ConfigError: a share is negative, or there are seats and no share above 0.
    """
    whole = sum(shares.values())
    if any(share < 0 for share in shares.values()) or total < 0 or (total and not whole):
        raise ConfigError(f"{total} cannot be divided in proportion to {list(shares.values())}")
    if not whole:
        return dict.fromkeys(shares, 0)
    seats = {key: share * total // whole for key, share in shares.items()}
    by_remainder = sorted(shares, key=lambda key: (-(shares[key] * total % whole), -shares[key]))
    for key in by_remainder[: total - sum(seats.values())]:
        seats[key] += 1
    return seats


def _grouped(topics: Sequence[str], folds: int, seed: int, groups: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    """The largest groups first, each into the fold that is smallest so far."""
    sizes = Counter(groups[topic] for topic in topics)
    filled = [0] * folds
    fold_of: dict[str, int] = {}
    for group in sorted(_shuffled(list(sizes), seed), key=lambda group: -sizes[group]):
        smallest = filled.index(min(filled))
        fold_of[group] = smallest
        filled[smallest] += sizes[group]
    return tuple(tuple(topic for topic in topics if fold_of[groups[topic]] == fold) for fold in range(folds))


def _shuffled(names: Sequence[str], seed: int, purpose: str = "") -> list[str]:
    """A random order that is the same for the same names, whichever order they come in."""

    def drawn(name: str) -> tuple[bytes, str]:
        text = f"{seed}\0{purpose}\0{name}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(text, digest_size=16).digest(), name

    return sorted(names, key=drawn)


def _distinct(topics: Iterable[str]) -> list[str]:
    ordered = list(topics)
    twice = [topic for topic, count in Counter(ordered).items() if count > 1]
    if twice:
        raise ConfigError(f"the topic {twice[0]} occurs twice among those to divide")
    return ordered


def _labels(topics: Sequence[str], labels: Mapping[str, str], kind: str) -> dict[str, str]:
    missing = [topic for topic in topics if topic not in labels]
    if missing:
        raise ConfigError(
            f"{len(missing):,} of {len(topics):,} topics have no {kind}, first {missing[0]}",
            hint=f"Give each topic a {kind}, or leave those topics out.",
        )
    return {topic: labels[topic] for topic in topics}
