"""What an encoder of formulas learns from: the distinct formulas of an index and variants of each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import xxhash

from porism.corpus.topics import read_topics
from porism.errors import ConfigError
from porism.formula import unpack_tree
from porism.formula.tree import OperatorNode
from porism.formula.variants.making import Varied
from porism.formula.variants.renaming import is_variable
from porism.index import Snapshot
from porism.index.engine.units import formula_units
from porism.lab.train.formulas.settings import FormulaTraining
from porism.system.concurrency.processes import default_processes, map_parallel
from porism.vectors.formula_encoder.encoding import read_tree
from porism.vectors.neural.formula_nodes import NodeRows, NodeVocabulary, make_vocabulary

_CHUNK = 256
_OTHERS = 2
"""Formulas of the collection with the same value that are positives of a formula, at most."""


class FormulaExample(NamedTuple):
    """A formula, formulas that are equal to it, and some that nearly are; ``groups`` are digests that equal formulas of
    the collection share."""

    formula: NodeRows
    equal: tuple[NodeRows, ...]
    different: tuple[NodeRows, ...]
    groups: tuple[int, ...]


class FormulaExamples(NamedTuple):
    """Examples, the labels that an encoder of them knows, how many formulas were ``excluded``, and of how many nothing
    equal is known (``alone``)."""

    vocabulary: NodeVocabulary
    examples: list[FormulaExample]
    excluded: int
    alone: int


def formula_examples(
    index_path: str | os.PathLike[str],
    settings: FormulaTraining,
    *,
    topics: Sequence[Path] = (),
    jobs: int | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> FormulaExamples:
    """The examples that the live formulas of an index give.

    :param topics: files of topics; formulas equal to those of topics, also after renaming variables, are left out.
    :param jobs: processes that make variants; all processors by default. Examples do not depend on it.
    :raises ConfigError: the index has too few formulas.
    :raises SourceError: a file cannot be read. :raises FormatError: topics are broken.
    """
    excluded = frozenset(group for path in topics for root in _topic_trees(path) for group in groups_of(Varied(root)))
    with Snapshot.open(index_path) as snapshot:
        trees = {
            units.segment.formula_tree(formula) for units in formula_units(snapshot.segments)
            for formula in np.flatnonzero(units.live).tolist()
        }
    packed = sorted(trees)
    vocabulary = make_vocabulary(map(unpack_tree, packed), settings.min_count)
    if settings.most is not None and settings.most < len(packed):
        packed = sorted(Random(settings.seed).sample(packed, settings.most))
    chunks = [packed[start : start + _CHUNK] for start in range(0, len(packed), _CHUNK)]
    made: list[FormulaExample] = []
    work = partial(_examples, vocabulary.labels, settings, excluded)
    left_out = 0
    for examples_of, number in map_parallel(work, chunks, jobs or default_processes()):
        made += examples_of
        left_out += number
        on_progress(len(made) + left_out, len(packed))
    with_others = _with_others(made, settings.seed)
    examples = [other for other in with_others if other.equal]
    if len(examples) < 2:
        raise ConfigError(
            f"{len(examples)} formulas with variants are too few to train on",
            hint="Index documents with formulas first.",
        )
    return FormulaExamples(vocabulary, examples, left_out, len(made) - len(examples))


def groups_of(varied: Varied) -> tuple[int, ...]:
    """Digests that a formula shares with those of the same tree up to the names of variables, and with those of the
    same value by name or up to renaming."""
    names: dict[str, int] = {}
    shape = [
        (node.kind, str(names.setdefault(node.label, len(names))) if is_variable(node) else node.label,
         len(node.children))
        for node in varied.root.walk()
    ]
    terms = [repr(shape), varied.value.named, varied.value.renamed]
    return tuple(xxhash.xxh3_64_intdigest(term.encode("utf-8", "surrogatepass")) for term in terms if term)


def _topic_trees(path: Path) -> Iterator[OperatorNode]:
    for topic in read_topics(path):
        for content in topic.fields.values():
            for formula in content.formulas:
                yield read_tree(formula)


def _examples(
    labels: tuple[str, ...], settings: FormulaTraining, excluded: frozenset[int], packed: Sequence[bytes]
) -> tuple[list[FormulaExample], int]:
    """The examples of some packed trees, and how many trees were excluded."""
    vocabulary, most = NodeVocabulary(labels), settings.network.nodes
    examples: list[FormulaExample] = []
    left_out = 0
    for tree in packed:
        varied = Varied(unpack_tree(tree))
        groups = groups_of(varied)
        if not excluded.isdisjoint(groups):
            left_out += 1
            continue
        random = Random(xxhash.xxh3_64_intdigest(tree, settings.seed))
        equal, different = [], []
        for number in range(settings.variants):
            renamed = number % 2 == 1
            same = varied.equal(random, renamed=renamed, rewrites=random.randrange(3) if renamed else 2)
            other = varied.different(random, renamed=renamed)
            equal += [] if same is None else [vocabulary.rows(same.root, most)]
            different += [] if other is None else [vocabulary.rows(other.root, most)]
        examples.append(FormulaExample(vocabulary.rows(varied.root, most), tuple(equal), tuple(different), groups))
    return examples, left_out


def _with_others(examples: Sequence[FormulaExample], seed: int) -> list[FormulaExample]:
    """The examples with formulas of the collection that have the same value among their equal ones."""
    random = Random(seed)
    members: dict[int, list[int]] = {}
    for number, example in enumerate(examples):
        for group in example.groups:
            members.setdefault(group, []).append(number)
    extended = []
    for number, example in enumerate(examples):
        known = {other for group in example.groups if len(members[group]) > 1 for other in members[group]} - {number}
        others = random.sample(sorted(known), min(_OTHERS, len(known)))
        extended.append(example._replace(equal=(*example.equal, *(examples[other].formula for other in others))))
    return extended


def digest_examples(examples: Iterable[FormulaExample]) -> str:
    """What tells these examples from others."""
    whole = xxhash.xxh3_128()
    for example in examples:
        for rows in (example.formula, *example.equal, *example.different):
            whole.update(rows.features.tobytes())
        whole.update(repr(example.groups).encode())
    return whole.hexdigest()
