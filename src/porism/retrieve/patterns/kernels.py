"""Compiled matching of patterns with the formulas of documents.

A question has groups of patterns; those of one group share their wildcards. Patterns are trees in preorder, one behind
the other, with a role for each root. A match gives each node of a group a node of a formula: the same operator with as
many operands, in their order; operands of symmetric operators in either. A wildcard takes a whole subtree, the same
wherever it occurs; a variable takes a variable, one to one. Nodes are placed in preorder, and taken back where the next
one fits nowhere.

Sums and products are lists: ``a + b + c`` is ``(a + b) + c``. So the first operand of a pattern takes several of them
if it is a wildcard, and a whole pattern may be the beginning of such a list. Lists that associate to the right
(conjunctions, arrows) end so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from porism.system.compiled.kernels import compiled, i32_at, i64_at, inlined, start_of, u8_at, u16_at

MAX_STEPS = 200_000
"""A document in which a group was neither found nor ruled out after trying so many nodes is reported as undecided."""

ANYWHERE, CONCLUSION, HYPOTHESIS = 1, 2, 3
"""Roles of patterns; 0 is no root."""
MISSED, MATCHED, UNDECIDED = 0, 1, 2
IN_ORDER, SYMMETRIC, LEFT, RIGHT = 0, 1, 2, 3
"""What is known of the operands of an operator: whether they can change places, and how a list of them associates."""
WILDCARD, VARIABLE = 87, 86
_PLAIN, _LEADING, _BEGINNING, _TRAILING, _FUNCTION, _MIRRORED = 0, 1, 2, 3, 4, 5
"""How a node was placed: operand by operand; the first takes several; they are the beginning of a list; the last takes
several; the function is a wildcard that takes a name; operands backwards, of the mirrored relation."""
COLUMNS = 10


def room(query_nodes: int) -> int:
    """The bytes to work in that :func:`match_documents` needs for so many nodes of patterns."""
    return 8 * COLUMNS * (query_nodes + 1)


@compiled("void(int64, int64, int64, uint64[::1], uint64[::1])")
def mark_formulas(formula_count: Any, indptr_at: Any, labels_at: Any, bits: Any, masks: Any) -> None:
    """The bits of all labels of each formula, of which ``bits`` (uint64) has some for each label."""
    indptr, labels = i64_at(indptr_at), i32_at(labels_at)
    bits, masks = start_of(bits), start_of(masks)
    for formula in range(formula_count):
        mask = np.uint64(0)
        for node in range(indptr[formula], indptr[formula + 1]):
            mask |= bits[labels[node]]
        masks[formula] = mask


@inlined()
def _child(node: Any, position: Any, sizes: Any) -> Any:
    """The operand of a node at a position."""
    child = node + 1
    for _ in range(position):
        child += sizes[child]
    return child


@inlined()
def _same(first: Any, first_span: Any, second: Any, second_span: Any, labels: Any, arities: Any) -> Any:
    """Whether two stretches of nodes are equal; a span of 0 means that the place is a label."""
    if first_span != second_span:
        return False
    if first_span == 0:
        return first == second
    for offset in range(first_span):
        if labels[first + offset] != labels[second + offset] or arities[first + offset] != arities[second + offset]:
            return False
    return True


@compiled(
    "int64(int64, int64[::1], int32[::1], int32[::1], uint8[::1], uint8[::1], uint8[::1], int64[::1], int64[::1], "
    "int64[::1], int64[::1], int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, "
    "int64, uint64[::1], uint64, int32[::1], int8[::1], int64[::1], int64[::1], int64)"
)
def match_documents(
    group_count: Any, groups: Any, query_labels: Any, query_mirrored: Any, query_kinds: Any, query_fixed: Any,
    query_roles: Any, query_sizes: Any, query_arities: Any, query_parents: Any, query_names: Any, indptr_at: Any,
    labels_at: Any, sizes_at: Any, arities_at: Any, kinds_at: Any, fixed_at: Any, orders_at: Any, functions_at: Any,
    occurrences_at: Any, formula_at: Any, field_at: Any, signature: Any, apply: Any, masks: Any, wanted: Any,
    documents: Any, results: Any,
    weights: Any, places: Any, room_at: Any,
) -> Any:
    """Whether each of ``documents`` has a match of every group.

    ``groups`` (int64, groups + 1) bounds the nodes of each group. ``query_mirrored`` are the labels of the relations
    that say the same backwards, -1 for none. ``kinds``, ``fixed``, ``orders`` and ``functions``
    (uint8) are by label. Of documents with formulas in the field ``signature`` (-1 for none) only these count, the last
    as the conclusion; of others every formula is both. ``wanted`` are the bits of ``masks`` that a document must have.
    ``weights`` gets the number of nodes of what was compared (of other documents: of the first formula that matches),
    and ``places`` the occurrence with the first match. Returns the number of nodes that were tried.
    """
    indptr, labels, sizes, arities = i64_at(indptr_at), i32_at(labels_at), u16_at(sizes_at), u16_at(arities_at)
    kinds, fixed, orders, functions = u8_at(kinds_at), u8_at(fixed_at), u8_at(orders_at), u8_at(functions_at)
    bounds, formula_of, field_of = i64_at(occurrences_at), i32_at(formula_at), u16_at(field_at)
    count = len(documents)
    groups, query_labels, query_kinds = start_of(groups), start_of(query_labels), start_of(query_kinds)
    query_mirrored = start_of(query_mirrored)
    query_fixed, query_roles, query_sizes = start_of(query_fixed), start_of(query_roles), start_of(query_sizes)
    query_arities, query_parents, query_names = start_of(query_arities), start_of(query_parents), start_of(query_names)
    masks, documents, results = start_of(masks), start_of(documents), start_of(results)
    weights, places = start_of(weights), start_of(places)
    total = groups[group_count]
    rows = 8 * (total + 1)
    at, span = i64_at(room_at), i64_at(room_at + rows)
    bound, is_new = i64_at(room_at + 2 * rows), i64_at(room_at + 3 * rows)
    mode, position, choice = i64_at(room_at + 4 * rows), i64_at(room_at + 5 * rows), i64_at(room_at + 6 * rows)
    root_place, root_node, place = i64_at(room_at + 7 * rows), i64_at(room_at + 8 * rows), i64_at(room_at + 9 * rows)
    all_steps = 0
    for u in range(total):
        place[u] = 0
        if query_roles[u] == 0:
            child = query_parents[u] + 1
            while child < u:
                child += query_sizes[child]
                place[u] += 1
    for number in range(count):
        first, last = bounds[documents[number]], bounds[documents[number] + 1]
        results[number] = MISSED
        conclusion = -1
        for occurrence in range(first, last):
            if field_of[occurrence] == signature:
                if conclusion < 0:
                    first = occurrence
                conclusion = occurrence
        if conclusion >= 0:
            last = conclusion + 1
        mask = np.uint64(0)
        weight = np.int64(0)
        for occurrence in range(first, last):
            formula = formula_of[occurrence]
            mask |= masks[formula]
            weight += indptr[formula + 1] - indptr[formula]
        if (mask & wanted) != wanted or first == last:
            continue
        result = MATCHED
        for group in range(group_count):
            low, high = groups[group], groups[group + 1]
            for u in range(low, high):
                bound[u] = -1
            steps = 0
            u = low
            root_place[u], root_node[u], choice[u] = first, 0, 0
            while low <= u < high and steps <= MAX_STEPS:
                # the next node that u can be
                fits = False
                role = query_roles[u]
                while not fits and steps <= MAX_STEPS:
                    steps += 1
                    length = np.int64(0)
                    node = np.int64(-1)
                    as_label = False
                    if role:
                        occurrence = root_place[u]
                        if occurrence >= last:
                            break
                        start = indptr[formula_of[occurrence]]
                        node = start + root_node[u]
                        root_node[u] += 1
                        if role != ANYWHERE or root_node[u] >= indptr[formula_of[occurrence] + 1] - start:
                            root_place[u] += 1
                            root_node[u] = 0
                        if role == CONCLUSION and conclusion >= 0 and occurrence != conclusion:
                            continue
                        if role == HYPOTHESIS:
                            if occurrence == conclusion:
                                continue
                            is_taken = False
                            for other in range(low, u):
                                if query_roles[other] == HYPOTHESIS and at[other] == node:
                                    is_taken = True
                            if is_taken:
                                continue
                        position[u] = occurrence
                        length = np.int64(sizes[node])
                    else:
                        parent = query_parents[u]
                        above, how, own = at[parent], mode[parent], place[u]
                        found, asked = np.int64(arities[above]), query_arities[parent]
                        is_symmetric = how == _PLAIN and orders[labels[above]] == SYMMETRIC and found == 2
                        if choice[u] > (1 if is_symmetric else 0):
                            break
                        chosen = own
                        if is_symmetric:
                            chosen = choice[u]
                            choice[u] += 1
                            if own == 1 and position[parent + 1] == chosen:
                                continue
                        else:
                            choice[u] += 1
                        position[u] = chosen
                        if how == _FUNCTION and own == 0:
                            as_label = True
                            node = np.int64(labels[above])
                        else:
                            if how == _FUNCTION:
                                chosen = own - 1
                            elif how == _LEADING and own > 0:
                                chosen = found - asked + own
                            elif how == _MIRRORED:
                                chosen = found - 1 - own
                            node = _child(above, chosen, sizes)
                            length = np.int64(sizes[node])
                            extra = found - asked
                            if (how == _LEADING and own == 0) or (how == _TRAILING and own == asked - 1):
                                after = node
                                for _ in range(extra + 1):
                                    after += sizes[after]
                                length = after - node
                    name = query_names[u]
                    is_new[u] = 0
                    if query_kinds[u] == WILDCARD and query_arities[u] == 0:
                        holder = bound[name]
                        if holder < 0:
                            fits = True
                            is_new[u] = 1
                        else:
                            fits = _same(at[holder], span[holder], node, length, labels, arities)
                    elif as_label:
                        fits = query_labels[u] == node
                    elif query_arities[u]:
                        many, few = np.int64(arities[node]), query_arities[u]
                        mode[u] = _PLAIN
                        if labels[node] == query_labels[u]:
                            if many == few:
                                fits = True
                            elif many > few and orders[labels[node]] == LEFT:
                                if query_kinds[u + 1] == WILDCARD and query_arities[u + 1] == 0:
                                    fits = True
                                    mode[u] = _LEADING
                                elif role == ANYWHERE:
                                    fits = True
                                    mode[u] = _BEGINNING
                            elif many > few and orders[labels[node]] == RIGHT:
                                final = u + 1
                                for _ in range(few - 1):
                                    final += query_sizes[final]
                                if query_kinds[final] == WILDCARD and query_arities[final] == 0:
                                    fits = True
                                    mode[u] = _TRAILING
                        elif labels[node] == query_mirrored[u] and many == few:
                            fits = True
                            mode[u] = _MIRRORED
                        elif (
                            query_labels[u] == apply and query_kinds[u + 1] == WILDCARD and query_arities[u + 1] == 0
                            and many == few - 1 and functions[labels[node]]
                        ):
                            fits = True
                            mode[u] = _FUNCTION
                    elif arities[node] == 0:
                        if query_kinds[u] != VARIABLE or query_fixed[u]:
                            fits = labels[node] == query_labels[u]
                        elif kinds[labels[node]] == VARIABLE and fixed[labels[node]] == 0:
                            holder = bound[name]
                            if holder >= 0:
                                fits = labels[at[holder]] == labels[node]
                            else:
                                fits = True
                                is_new[u] = 1
                                for other in range(low, u):
                                    if (
                                        query_kinds[other] == VARIABLE and query_arities[other] == 0
                                        and query_fixed[other] == 0 and labels[at[other]] == labels[node]
                                    ):
                                        fits = False
                                        is_new[u] = 0
                    if fits:
                        at[u], span[u] = node, length
                        if is_new[u]:
                            bound[name] = u
                if fits:
                    u += 1
                    if u < high:
                        root_place[u], root_node[u], choice[u] = first, 0, 0
                else:
                    u -= 1
                    if u >= low and is_new[u]:
                        bound[query_names[u]] = -1
                        is_new[u] = 0
            all_steps += steps
            if u < high:
                result = UNDECIDED if steps > MAX_STEPS else MISSED
                break
            if group == 0:
                places[number] = position[low]
                if conclusion < 0:
                    formula = formula_of[position[low]]
                    weight = indptr[formula + 1] - indptr[formula]
        results[number] = result
        weights[number] = weight
        if group_count == 0:
            occurrence = first
            while masks[formula_of[occurrence]] & wanted == 0:
                occurrence += 1
            places[number] = occurrence
    return all_steps
