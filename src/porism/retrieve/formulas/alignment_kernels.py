"""Compiled alignment of operator trees: the best common subtrees of a query and each of many formulas.

The score of a pair of nodes (u, v) with matching labels is the worth of the pair plus that of their children. The
children of u are assigned to those of v in the best way: in any order where both operators are commutative, position by
position where an ordered operator has the same number of operands, in order with gaps otherwise. ``reach`` of a pair
also allows to skip nodes on one side at a price. Trees are in preorder, so that children stand after their parents and
one pass from the end fills the table.

All work is bounded by the nodes of both trees, q ≤ 128 and n ≤ 256: the operands of all pairs of nodes are at most q·n
pairs, each looked at 25 times at most (:func:`_looks`), and again when the chosen subtrees are followed; roots, skipped
nodes and names take a few times q·n or q². That makes :func:`most_steps`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from porism.system.compiled.kernels import compiled, f64_at, i32_at, i64_at, inlined, start_of, u8_at, u16_at

MAX_QUERY_NODES = 128
"""Nodes of a query formula beyond these are not aligned."""
MAX_NODES = 256
"""The same for the formulas that it is aligned with."""
MAX_ROOTS = 3
"""Common subtrees that count, as in Approach Zero."""
EXACT_GREEDY = 64
"""Up to this many pairs of operands the best pair is chosen first and the choice improved; above, operands choose in
turn, wildcards last."""
FEW = 8
"""The side with fewer operands has no more of them then."""
WIDE = MAX_NODES + 1
"""The length of a row of the table of operands."""
_GAIN = 1e-9


def most_steps(query_nodes: int, nodes: int) -> int:
    """A bound of the steps that aligning trees of so many nodes takes, whatever they hold."""
    return 60 * query_nodes * nodes + 5 * query_nodes**2


def room(query_nodes: int) -> int:
    """The bytes to work in that :func:`align` needs for a query of so many nodes."""
    return 8 * (
        3 * MAX_NODES * query_nodes + WIDE * (query_nodes + 1)
        + 13 * (query_nodes + 1) + 10 * (MAX_NODES + 1) + 2 * FEW
    )


# Columns of the parameters.
(
    OPERATOR, OTHER_VARIABLE, OTHER_NUMBER, SAME_KIND, OTHER_LEAF, SAME_FAMILY, SKIP_FOUND, SKIP_QUERY, NEXT_ROOT,
    INCONSISTENT, WIDTH,
) = range(11)

# Columns of what an alignment came to.
MATCHED, QUERY_WEIGHT, FOUND_WEIGHT, FOUND_MATCHED, SUMS = 0, 1, 2, 3, 4

VARIABLE, NUMBER, WILDCARD, COMMUTATIVE = 86, 78, 87, 85
"""Kinds of nodes as bytes: V, N, W, U."""


@inlined()
def _is_wildcard(kind: Any, leaf: Any) -> Any:
    """Whether a query node of this kind is a wildcard."""
    return kind == WILDCARD and leaf


@inlined()
def _worth(u_label: Any, u_kind: Any, u_family: Any, u_leaf: Any, label: Any, kind: Any, family: Any, leaf: Any,
           parameters: Any) -> Any:
    """How much of a query node one node of a formula is worth; 0 where they do not match."""
    if u_leaf != leaf:
        return 0.0
    if u_label == label:
        return 1.0
    if not leaf:
        return parameters[SAME_FAMILY] if u_family == family and family > 0 else 0.0
    if u_kind != kind:
        return parameters[OTHER_LEAF]
    if kind == VARIABLE:
        return parameters[OTHER_VARIABLE]
    if kind == NUMBER:
        return parameters[OTHER_NUMBER]
    return parameters[SAME_KIND]


@inlined()
def _looks(first_count: Any, second_count: Any, any_order: Any) -> Any:
    """How many pairs of operands :func:`_assign` looks at, at most."""
    count = first_count * second_count
    if any_order and count <= EXACT_GREEDY:
        return count * (1 + 3 * min(first_count, second_count))
    return count


@inlined()
def _assign_few(reach: Any, first: Any, first_count: Any, second: Any, second_count: Any, chosen: Any, taken: Any,
                table: Any, held: Any) -> Any:
    """The sum over partners in any order, for few operands.

    First greedily: the best pair first, and of equals one that keeps its position. Then, as long as it pays, one
    operand of the smaller side takes the partner of another, which takes the best that is left: that makes the choice
    the best there is where the smaller side has at most two operands. ``held`` (2 × ``FEW``) is room to work in.
    """
    turned = first_count > second_count
    rows, columns = (second_count, first_count) if turned else (first_count, second_count)
    most = 0.0
    for i in range(rows):
        best = 0.0
        held[i] = -1
        for j in range(columns):
            u, v = (first[j], second[i]) if turned else (first[i], second[j])
            table[i * WIDE + j] = reach[u * MAX_NODES + v]
            best = max(best, table[i * WIDE + j])
        most += best
    for j in range(columns):
        taken[j] = 0
    total = 0.0
    for _ in range(rows):
        best = 0.0
        owner = -1
        partner = -1
        for i in range(rows):
            if held[i] >= 0:
                continue
            for j in range(columns):
                if taken[j]:
                    continue
                value = table[i * WIDE + j]
                if value > best or (value == best and value > 0 and i == j and owner != partner):
                    best = value
                    owner = i
                    partner = j
        if owner < 0:
            break
        held[owner] = partner
        taken[partner] = 1
        total += best
    for _ in range(rows):
        if total + _GAIN >= most:
            break
        for i in range(rows):  # the best of what nobody has
            held[FEW + i] = -1
            best = 0.0
            for j in range(columns):
                if taken[j] == 0 and table[i * WIDE + j] > best:
                    best = table[i * WIDE + j]
                    held[FEW + i] = j
        gain = _GAIN
        taker = -1
        giver = -1
        instead = -1
        for i in range(rows):
            own = held[i]
            for other in range(rows):
                j = held[other]
                if other == i or j < 0:
                    continue
                left = held[FEW + other]
                value = table[other * WIDE + left] if left >= 0 else 0.0
                if own >= 0 and table[other * WIDE + own] > value:
                    value = table[other * WIDE + own]
                    left = own
                value += table[i * WIDE + j] - table[other * WIDE + j] - (table[i * WIDE + own] if own >= 0 else 0.0)
                if value > gain:
                    gain = value
                    taker = i
                    giver = other
                    instead = left
        if taker < 0:
            break
        if held[taker] >= 0:
            taken[held[taker]] = 0
        held[taker] = held[giver]
        held[giver] = instead
        if instead >= 0:
            taken[instead] = 1
        total += gain
    total = 0.0
    for i in range(first_count):
        chosen[i] = -1
    for i in range(rows):
        j = held[i]
        if j >= 0:
            total += table[i * WIDE + j]
            if turned:
                chosen[j] = i
            else:
                chosen[i] = j
    return total


@inlined()
def _assign(reach: Any, first: Any, first_count: Any, second: Any, second_count: Any, any_order: Any, chosen: Any,
            taken: Any, table: Any, held: Any, query_kinds: Any) -> Any:
    """The best sum of ``reach`` over pairs of operands; ``chosen`` has the partner of each of the first, or -1.

    The best one where the order counts, and nearly where it does not (:func:`_assign_few`).
    """
    total = 0.0
    if any_order:
        if first_count * second_count <= EXACT_GREEDY:
            return _assign_few(reach, first, first_count, second, second_count, chosen, taken, table, held)
        for i in range(first_count):
            chosen[i] = -1
        for j in range(second_count):
            taken[j] = 0
        for wild in range(2):
            for i in range(first_count):
                if (query_kinds[first[i]] == WILDCARD) != (wild == 1):
                    continue
                best = 0.0
                partner = -1
                for j in range(second_count):
                    if taken[j] == 0 and reach[first[i] * MAX_NODES + second[j]] > best:
                        best = reach[first[i] * MAX_NODES + second[j]]
                        partner = j
                if partner >= 0:
                    chosen[i] = partner
                    taken[partner] = 1
                    total += best
        return total
    for i in range(first_count):
        chosen[i] = -1
    if first_count == second_count:
        for i in range(first_count):
            value = reach[first[i] * MAX_NODES + second[i]]
            if value > 0:
                chosen[i] = i
                total += value
        return total
    for i in range(first_count + 1):
        table[i * WIDE + second_count] = 0.0
    for j in range(second_count + 1):
        table[first_count * WIDE + j] = 0.0
    for i in range(first_count - 1, -1, -1):
        for j in range(second_count - 1, -1, -1):
            best = max(table[(i + 1) * WIDE + j], table[i * WIDE + j + 1])
            value = reach[first[i] * MAX_NODES + second[j]]
            table[i * WIDE + j] = max(best, table[(i + 1) * WIDE + j + 1] + value)
    i = 0
    j = 0
    while i < first_count and j < second_count:
        value = reach[first[i] * MAX_NODES + second[j]]
        if value > 0 and table[i * WIDE + j] == table[(i + 1) * WIDE + j + 1] + value:
            chosen[i] = j
            i += 1
            j += 1
        elif table[i * WIDE + j] == table[(i + 1) * WIDE + j]:
            i += 1
        else:
            j += 1
    return table[0]


@inlined()
def _children(node: Any, arity: Any, sizes: Any, end: Any, into: Any) -> Any:
    """Writes the positions of the children of a node that stand before ``end``; returns how many."""
    count = 0
    child = node + 1
    for _ in range(arity):
        if child >= end:
            break
        into[count] = child
        count += 1
        child += sizes[child]
    return count


@compiled(
    "int64(int64, int32[::1], uint8[::1], int32[::1], int64[::1], int64[::1], int64, int64, int64, int64, int64, "
    "int64, int64, int32[::1], float64[::1], float64[:, ::1], int32[:, ::1], float64[::1], boolean, int64)"
)
def align(
    query_nodes: Any, query_labels: Any, query_kinds: Any, query_families: Any, query_sizes: Any, query_arities: Any,
    indptr_at: Any, labels_at: Any, sizes_at: Any, arities_at: Any, kinds_at: Any, families_at: Any, formula_count: Any,
    formulas: Any, parameters: Any, sums: Any, pairs: Any, pair_worths: Any, keep_pairs: Any, room_at: Any,
) -> Any:
    """Aligns a query with each of ``formulas`` (ordinals) and writes what it came to into the rows of ``sums``.

    The trees are given by the addresses of their arrays (:class:`porism.index.engine.trees.Trees`), ``kinds`` (uint8)
    and ``families`` (int32) by label. With ``keep_pairs``, for one formula, the matching nodes are written to ``pairs``
    and what each is worth to ``pair_worths``, and their number is returned; else the number of steps taken. ``room_at``
    is the address of :func:`room` bytes, aligned as numbers are: arrays made here would take longer to compile than
    all that is done with them.
    """
    indptr, labels, sizes_of, arities_of = i64_at(indptr_at), i32_at(labels_at), u16_at(sizes_at), u16_at(arities_at)
    kind_of, family_of = u8_at(kinds_at), i32_at(families_at)
    count_of_formulas = len(formulas)
    query_labels, query_kinds, query_families = start_of(query_labels), start_of(query_kinds), start_of(query_families)
    query_sizes, query_arities = start_of(query_sizes), start_of(query_arities)
    formulas, parameters = start_of(formulas), start_of(parameters)
    sums, pairs, pair_worths = start_of(sums), start_of(pairs), start_of(pair_worths)
    squares, rows, columns = 8 * query_nodes * MAX_NODES, 8 * (query_nodes + 1), 8 * (MAX_NODES + 1)
    score, reach = f64_at(room_at), f64_at(room_at + squares)
    partner, at = i64_at(room_at + 2 * squares), room_at + 3 * squares
    table, at = f64_at(at), at + 8 * WIDE * (query_nodes + 1)
    first, chosen, name_of, at = i64_at(at), i64_at(at + rows), i64_at(at + 2 * rows), at + 3 * rows
    pair, names, at = i64_at(at), i64_at(at + 2 * rows), at + 4 * rows
    worth, name_weight, at = f64_at(at), f64_at(at + rows), at + 2 * rows
    used_query, name_state, at = i64_at(at), i64_at(at + rows), at + 2 * rows
    second, taken, used_found, at = i64_at(at), i64_at(at + columns), i64_at(at + 2 * columns), at + 3 * columns
    label, kind, family, at = i64_at(at), i64_at(at + columns), i64_at(at + 2 * columns), at + 3 * columns
    sizes, arities, at = i64_at(at), i64_at(at + columns), at + 2 * columns
    stack, held = i64_at(at), i64_at(at + 2 * rows + 2 * columns)
    operator = parameters[OPERATOR]
    query_weight = 0.0
    for u in range(query_nodes):
        query_weight += operator if query_arities[u] else 1.0
    steps = 0
    count = 0
    for position in range(count_of_formulas):
        formula = formulas[position]
        start = indptr[formula]
        nodes = min(indptr[formula + 1] - start, MAX_NODES)
        found_weight = 0.0
        for v in range(nodes):
            label[v] = labels[start + v]
            kind[v] = kind_of[label[v]]
            family[v] = family_of[label[v]]
            sizes[v] = min(np.int64(sizes_of[start + v]), nodes - v)
            arities[v] = arities_of[start + v]
            found_weight += operator if arities[v] else 1.0
        # the table of pairs, children before parents
        for u in range(query_nodes - 1, -1, -1):
            u_label, u_kind, u_family = query_labels[u], query_kinds[u], query_families[u]
            u_leaf = query_arities[u] == 0
            u_weight = 1.0 if u_leaf else operator
            wild = _is_wildcard(u_kind, u_leaf)
            first_count = _children(u, query_arities[u], query_sizes, query_nodes, first)
            for v in range(nodes - 1, -1, -1):
                steps += 1
                leaf = arities[v] == 0
                value = 0.0
                if wild:
                    value = u_weight
                else:
                    same = _worth(u_label, u_kind, u_family, u_leaf, label[v], kind[v], family[v], leaf, parameters)
                    if same > 0:
                        value = same * u_weight
                        if not leaf:
                            second_count = _children(v, arities[v], sizes, nodes, second)
                            any_order = u_kind == COMMUTATIVE and kind[v] == COMMUTATIVE
                            steps += _looks(first_count, second_count, any_order)
                            value += _assign(
                                reach, first, first_count, second, second_count, any_order, chosen, taken, table,
                                held, query_kinds
                            )
                            for i in range(first_count):
                                there = chosen[i]
                                partner[first[i] * MAX_NODES + v] = second[there] if there >= 0 else -1
                score[u * MAX_NODES + v] = value
                if parameters[SKIP_FOUND] > 0 and not leaf:
                    child = v + 1
                    while child < v + sizes[v]:
                        skipped = parameters[SKIP_FOUND] * reach[u * MAX_NODES + child]
                        value = max(value, skipped)
                        child += sizes[child]
                        steps += 1
                if parameters[SKIP_QUERY] > 0:
                    steps += first_count
                    for i in range(first_count):
                        value = max(value, parameters[SKIP_QUERY] * reach[first[i] * MAX_NODES + v])
                reach[u * MAX_NODES + v] = value
        # the best common subtrees, none inside or around another
        for u in range(query_nodes):
            used_query[u] = 0
        for v in range(nodes):
            used_found[v] = 0
        count = 0
        price = 1.0
        for _ in range(MAX_ROOTS):
            best = 0.0
            root_u = -1
            root_v = -1
            for u in range(query_nodes):
                if used_query[u]:
                    continue
                steps += nodes
                for v in range(nodes):
                    if used_found[v] == 0 and score[u * MAX_NODES + v] > best:
                        best = score[u * MAX_NODES + v]
                        root_u = u
                        root_v = v
            if root_u < 0:
                break
            stack[0] = root_u
            stack[1] = root_v
            top = 1
            while top:
                top -= 1
                u = stack[2 * top]
                v = stack[2 * top + 1]
                while reach[u * MAX_NODES + v] > score[u * MAX_NODES + v]:  # follow what was skipped
                    moved = False
                    if parameters[SKIP_FOUND] > 0 and arities[v]:
                        child = v + 1
                        while child < v + sizes[v]:
                            steps += 1
                            if parameters[SKIP_FOUND] * reach[u * MAX_NODES + child] == reach[u * MAX_NODES + v]:
                                v = child
                                moved = True
                                break
                            child += sizes[child]
                    if not moved:
                        child = u + 1
                        while child < u + query_sizes[u]:
                            steps += 1
                            if parameters[SKIP_QUERY] * reach[child * MAX_NODES + v] == reach[u * MAX_NODES + v]:
                                u = child
                                moved = True
                                break
                            child += query_sizes[child]
                    if not moved:
                        break
                if count == query_nodes:
                    break
                u_leaf = query_arities[u] == 0
                wild = _is_wildcard(query_kinds[u], u_leaf)
                same = 1.0 if wild else _worth(
                    query_labels[u], query_kinds[u], query_families[u], u_leaf, label[v], kind[v], family[v],
                    arities[v] == 0, parameters
                )
                if same <= 0:
                    continue
                pair[2 * count] = u
                pair[2 * count + 1] = v
                worth[count] = same * price
                count += 1
                used_query[u] = 1
                used_found[v] = 1
                if u_leaf:
                    continue
                first_count = _children(u, query_arities[u], query_sizes, query_nodes, first)
                for i in range(first_count):
                    there = partner[first[i] * MAX_NODES + v]
                    if there >= 0:
                        stack[2 * top] = first[i]
                        stack[2 * top + 1] = there
                        top += 1
            for u in range(query_nodes):
                if (root_u <= u < root_u + query_sizes[root_u]) or (u <= root_u < u + query_sizes[u]):
                    used_query[u] = 1
            for v in range(nodes):
                if (root_v <= v < root_v + sizes[root_v]) or (v <= root_v < v + sizes[v]):
                    used_found[v] = 1
            price *= parameters[NEXT_ROOT]
            if price <= 0:
                break
        # one-to-one unification: of all renamings that pairs ask for, the heaviest first
        named = 0
        for i in range(count):
            u = pair[2 * i]
            v = pair[2 * i + 1]
            name_of[i] = -1
            u_leaf = query_arities[u] == 0
            wild = _is_wildcard(query_kinds[u], u_leaf)
            if not wild and not (u_leaf and query_kinds[u] == VARIABLE and kind[v] == VARIABLE):
                continue
            steps += named
            for j in range(named):
                if query_labels[pair[2 * names[2 * j]]] == query_labels[u] and query_kinds[pair[2 * names[2 * j]]] == (
                    query_kinds[u]
                ):
                    w = names[2 * j + 1]
                    same_tree = sizes[w] == sizes[v]
                    if same_tree:
                        for offset in range(sizes[v]):
                            steps += 1
                            if label[w + offset] != label[v + offset] or arities[w + offset] != arities[v + offset]:
                                same_tree = False
                                break
                    if same_tree:
                        name_of[i] = j
                        break
            if name_of[i] < 0:
                name_of[i] = named
                names[2 * named] = i
                names[2 * named + 1] = v
                name_weight[named] = 0.0
                name_state[named] = 0
                named += 1
            name_weight[name_of[i]] += worth[i]
        while True:
            best = 0.0
            chosen_name = -1
            for j in range(named):
                if name_state[j] == 0 and name_weight[j] > best:
                    best = name_weight[j]
                    chosen_name = j
            if chosen_name < 0:
                break
            name_state[chosen_name] = 1
            u = pair[2 * names[2 * chosen_name]]
            v = names[2 * chosen_name + 1]
            steps += 2 * named
            for j in range(named):
                if name_state[j] == 0:
                    other = pair[2 * names[2 * j]]
                    both_wild = query_kinds[u] == WILDCARD or query_kinds[other] == WILDCARD
                    if (query_labels[other] == query_labels[u] and query_kinds[other] == query_kinds[u]) or (
                        not both_wild and label[names[2 * j + 1]] == label[v]
                    ):
                        name_state[j] = 2
        matched = 0.0
        found_matched = 0.0
        for i in range(count):
            u = pair[2 * i]
            if name_of[i] >= 0 and name_state[name_of[i]] == 2:
                worth[i] *= parameters[INCONSISTENT]
            matched += worth[i] * (operator if query_arities[u] else 1.0)
            v = pair[2 * i + 1]
            if _is_wildcard(query_kinds[u], query_arities[u] == 0):
                steps += sizes[v]
                for w in range(v, v + sizes[v]):
                    found_matched += worth[i] * (operator if arities[w] else 1.0)
            else:
                found_matched += worth[i] * (operator if arities[v] else 1.0)
        sums[position * SUMS + MATCHED] = matched
        sums[position * SUMS + QUERY_WEIGHT] = query_weight
        sums[position * SUMS + FOUND_WEIGHT] = found_weight
        sums[position * SUMS + FOUND_MATCHED] = found_matched
        if keep_pairs:
            for i in range(count):
                pairs[2 * i] = np.int32(pair[2 * i])
                pairs[2 * i + 1] = np.int32(pair[2 * i + 1])
                pair_worths[i] = worth[i]
            return count
    return steps
