"""Compiled search for a query formula in other formulas: as the whole or as a part, up to renaming variables.

A match pairs all nodes of the query with all nodes of one subtree. Operators have the same label and as many operands;
those of commutative operators may be in any order. Variables are renamed one to one. A wildcard takes one whole
subtree, the same wherever it occurs. Partners are tried node by node in preorder; one that fails is taken back.

Two hashes of each subtree, indifferent to the order of commutative operands, rule out nearly all pairs beforehand: one
with all variables alike, and one with their names. At most :data:`MAX_TRIES` pairs of nodes are tried for a formula.

Parts that stand for themselves, such as the sides of a relation, are tried before those within them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from porism.retrieve.formulas.alignment_kernels import COMMUTATIVE, MAX_NODES, VARIABLE, WILDCARD
from porism.system.compiled.kernels import compiled, i32_at, i64_at, inlined, start_of, u8_at, u16_at

MAX_TRIES = 4_000
"""A formula in which the query was not found after trying so many pairs of nodes counts as one without it."""

# What was found, from nothing to the formula itself.
NOTHING, RENAMED_PART, PART, RENAMED, IDENTICAL = 0, 1, 2, 3, 4

_ANY = 0
"""The hash of a subtree with a wildcard."""


def room(query_nodes: int) -> int:
    """The bytes to work in that :func:`find_exact` needs for a query of so many nodes."""
    return 8 * (12 * (query_nodes + 1) + 9 * MAX_NODES)


@inlined()
def _mixed(value: Any) -> Any:
    value = (value ^ (value >> 29)) * np.int64(6364136223846793005)
    return (value ^ (value >> 32)) * np.int64(3202034522624059733) + np.int64(1442695040888963407)


@inlined()
def _hash(nodes: Any, labels: Any, kinds: Any, fixed: Any, sizes: Any, arities: Any, alike: Any, into: Any) -> Any:
    """Writes the hash of each subtree, children before parents; those with a wildcard get ``_ANY``."""
    for node in range(nodes - 1, -1, -1):
        if arities[node] == 0:
            if kinds[node] == WILDCARD:
                into[node] = _ANY
            elif alike and kinds[node] == VARIABLE and fixed[node] == 0:
                into[node] = 1
            else:
                into[node] = _mixed(np.int64(labels[node]) + 1_000_003) | 1
            continue
        total = np.int64(labels[node]) * 31 + arities[node]
        wild = False
        child = node + 1
        for _ in range(arities[node]):
            if child >= nodes:  # the tree was cut here
                wild = True
                break
            wild = wild or into[child] == _ANY
            if kinds[node] == COMMUTATIVE:
                total += _mixed(into[child])
            else:
                total = _mixed(total) + into[child]
            child += sizes[child]
        into[node] = _ANY if wild else _mixed(total) | 1


@inlined()
def _fits(u: Any, v: Any, renaming: Any, labels: Any, kinds: Any, fixed: Any, arities: Any, hashes: Any, names: Any,
          bound: Any, found_labels: Any, found_kinds: Any, found_fixed: Any, found_arities: Any, found_hashes: Any,
          named_hashes: Any, name_count: Any) -> Any:
    """Whether a query node can be paired with a node of the formula: 0 no, 1 yes, 2 yes and its name is new."""
    if arities[u]:
        return np.int64(
            labels[u] == found_labels[v] and arities[u] == found_arities[v]
            and (hashes[u] == _ANY or hashes[u] == found_hashes[v])
        )
    if kinds[u] == WILDCARD:
        there = bound[names[u]]
        if there < 0:
            return np.int64(2)
        return np.int64(named_hashes[there] == named_hashes[v])
    if found_arities[v]:
        return np.int64(0)
    if kinds[u] != VARIABLE or fixed[u] or not renaming:
        return np.int64(labels[u] == found_labels[v])
    if found_kinds[v] != VARIABLE or found_fixed[v]:
        return np.int64(0)
    there = bound[names[u]]
    if there >= 0:
        return np.int64(found_labels[there] == found_labels[v])
    for name in range(name_count):
        other = bound[name]
        if other >= 0 and found_kinds[other] == VARIABLE and found_arities[other] == 0 and (
            found_labels[other] == found_labels[v]
        ):
            return np.int64(0)
    return np.int64(2)


@compiled(
    "int64(int64, int32[::1], uint8[::1], uint8[::1], int64[::1], int64[::1], int64, int64, int64, int64, int64, "
    "int64, int64, int64, int32[::1], int8[::1], float64[::1], int32[:, ::1], int64)"
)
def find_exact(
    query_nodes: Any, labels: Any, kinds: Any, fixed: Any, sizes: Any, arities: Any, indptr_at: Any, labels_at: Any,
    sizes_at: Any, arities_at: Any, kinds_at: Any, fixed_at: Any, relating_at: Any, formula_count: Any, formulas: Any,
    results: Any, shares: Any, pairs: Any, room_at: Any,
) -> Any:
    """What each of ``formulas`` (ordinals) is to the query, written to ``results``; ``pairs`` has those of the last.

    ``shares`` gets 1 for a formula that is the query or has it as a part that stands for itself. A formula that has it
    elsewhere gets the share of its nodes that are in the part, others get 0. The trees are given by the addresses of
    their arrays (:class:`porism.index.engine.trees.Trees`), ``kinds``, ``fixed`` (uint8; variables that are not
    renamed) and ``relating`` (uint8; operators whose operands stand for themselves) by label. ``pairs`` has a row for
    each node of the query; ``room_at`` is the address of :func:`room` bytes, aligned as numbers are. Returns the pairs
    of nodes that were tried.
    """
    indptr, labels_of, sizes_of, arities_of = i64_at(indptr_at), i32_at(labels_at), u16_at(sizes_at), u16_at(arities_at)
    kind_of, fixed_of, relating_of = u8_at(kinds_at), u8_at(fixed_at), u8_at(relating_at)
    count = len(formulas)
    query_labels, query_kinds, query_fixed = start_of(labels), start_of(kinds), start_of(fixed)
    sizes, arities = start_of(sizes), start_of(arities)
    formulas, results, pairs = start_of(formulas), start_of(results), start_of(pairs)
    shares = start_of(shares)
    one: Any = np.int64(1)  # the number 1 itself would be a type of its own
    rows, columns, free = 8 * (query_nodes + 1), 8 * MAX_NODES, room_at
    labels, kinds, fixed, free = i64_at(free), i64_at(free + rows), i64_at(free + 2 * rows), free + 3 * rows
    alike_hashes, own_hashes, free = i64_at(free), i64_at(free + rows), free + 2 * rows
    parent, place, names, free = i64_at(free), i64_at(free + rows), i64_at(free + 2 * rows), free + 3 * rows
    bound, at, tried, free = i64_at(free), i64_at(free + rows), i64_at(free + 2 * rows), free + 3 * rows
    new, free = i64_at(free), free + rows
    found_labels, found_kinds, free = i64_at(free), i64_at(free + columns), free + 2 * columns
    found_fixed, taken, free = i64_at(free), i64_at(free + columns), free + 2 * columns
    found_sizes, found_arities, free = i64_at(free), i64_at(free + columns), free + 2 * columns
    alike, named, stands = i64_at(free), i64_at(free + columns), i64_at(free + 2 * columns)
    for u in range(query_nodes):
        labels[u], kinds[u], fixed[u] = query_labels[u], query_kinds[u], query_fixed[u]
        parent[u], place[u], names[u] = -1, 0, 0
    for same in range(2):  # one call, since each would be compiled for its own constants
        _hash(query_nodes, labels, kinds, fixed, sizes, arities, same == 1, alike_hashes if same else own_hashes)
    name_count = 0
    for u in range(query_nodes):
        child = u + 1
        for position in range(arities[u]):
            parent[child] = u
            place[child] = position
            child += sizes[child]
        names[u] = name_count
        for other in range(u):
            if labels[other] == labels[u] and arities[other] == 0:
                names[u] = names[other]
                break
        if names[u] == name_count:
            name_count += 1
    all_steps = 0
    for number in range(count):
        start = indptr[formulas[number]]
        whole_size = indptr[formulas[number] + 1] - start
        nodes = min(whole_size, MAX_NODES)
        for v in range(nodes):
            found_labels[v] = labels_of[start + v]
            found_kinds[v] = kind_of[found_labels[v]]
            found_fixed[v] = fixed_of[found_labels[v]]
            found_sizes[v] = sizes_of[start + v]
            found_arities[v] = arities_of[start + v]
            stands[v] = 1 if v == 0 else 0
        for v in range(nodes):
            child = v + 1
            for _ in range(found_arities[v] if stands[v] and relating_of[found_labels[v]] else 0):
                if child >= nodes:
                    break
                stands[child] = 1
                child += found_sizes[child]
        for same in range(2):
            _hash(
                nodes, found_labels, found_kinds, found_fixed, found_sizes, found_arities, same == 1,
                alike if same else named,
            )
        result = NOTHING
        shares[number] = 0.0
        steps = 0
        # the whole, then parts; with the same names, then with others; of parts those first that stand for themselves
        for attempt in range(6):
            part, renaming = attempt >= 2, attempt == 1 or attempt >= 4
            hashes = alike_hashes if renaming else own_hashes
            found_hashes = alike if renaming else named
            for root in range(1 if part else 0, nodes if part else min(1, nodes)):
                if root + found_sizes[root] > nodes or steps > MAX_TRIES:
                    continue
                if part and stands[root] == attempt % 2:
                    continue
                steps += 1
                if not arities[0] and (part or renaming):
                    continue
                if hashes[0] != _ANY and hashes[0] != found_hashes[root]:
                    continue
                for name in range(name_count):
                    bound[name] = -1
                for v in range(root, root + found_sizes[root]):
                    taken[v] = 0
                fit = _fits(
                    np.int64(0), root, renaming, labels, kinds, fixed, arities, hashes, names, bound, found_labels,
                    found_kinds, found_fixed, found_arities, found_hashes, named, name_count,
                )
                if fit == 0:
                    continue
                at[0] = root
                new[0] = 0
                if fit == 2:
                    bound[names[0]] = root
                    new[0] = 1
                u = one
                if u < query_nodes:
                    tried[u] = -1
                while 0 < u < query_nodes and steps <= MAX_TRIES:
                    above = at[parent[u]]
                    any_order = found_kinds[above] == COMMUTATIVE
                    child = above + 1
                    chosen = -1
                    for position in range(found_arities[above]):
                        if position > tried[u] and (any_order or position == place[u]) and taken[child] == 0:
                            steps += 1
                            fit = _fits(
                                u, child, renaming, labels, kinds, fixed, arities, hashes, names, bound, found_labels,
                                found_kinds, found_fixed, found_arities, found_hashes, named, name_count,
                            )
                            if fit:
                                chosen = child
                                tried[u] = position
                                break
                        child += found_sizes[child]
                    if chosen >= 0:
                        at[u] = chosen
                        taken[chosen] = 1
                        new[u] = 0
                        if fit == 2:
                            bound[names[u]] = chosen
                            new[u] = 1
                        u += 1
                        if u < query_nodes:
                            tried[u] = -1
                    else:
                        u -= 1
                        if u > 0:
                            taken[at[u]] = 0
                            if new[u]:
                                bound[names[u]] = -1
                if u == query_nodes and steps <= MAX_TRIES:
                    result = IDENTICAL - (attempt if attempt < 2 else attempt // 2 + 1)
                    shares[number] = 1.0 if stands[root] else found_sizes[root] / whole_size
                    break
            if result:
                break
        results[number] = result
        all_steps += steps
        if result and number == count - 1:
            for u in range(query_nodes):
                pairs[2 * u] = np.int32(u)
                pairs[2 * u + 1] = np.int32(at[u])
    return all_steps
