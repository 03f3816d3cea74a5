"""The compiled pass that finds formulas which several segments hold."""

from __future__ import annotations

from typing import Any

from porism.system.compiled.kernels import compiled

_DIGESTS = "Array(uint64, 2, 'C', readonly=True)"
_ORDER = "Array(int32, 1, 'C', readonly=True)"


@compiled(f"void({_DIGESTS}, {_ORDER}, boolean[::1], {_DIGESTS}, {_ORDER}, boolean[::1])")
def unmark_held(earlier: Any, earlier_order: Any, held: Any, later: Any, later_order: Any, marks: Any) -> Any:
    """Makes those ``marks`` False whose digest an earlier segment has, too, where that one is ``held``.

    Digests are sorted and distinct, and beside each is in ``…_order`` which of ``held`` or ``marks`` is its.
    """
    i, j = 0, 0
    while i < len(earlier) and j < len(later):
        a, b = earlier[i, 0], later[j, 0]
        if a == b:  # almost always the same digest: then so are the other halves
            a, b = earlier[i, 1], later[j, 1]
            if a == b and held[earlier_order[i]]:
                marks[later_order[j]] = False
        i += a <= b
        j += b <= a
