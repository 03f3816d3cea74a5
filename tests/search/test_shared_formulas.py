"""What the formulas of two documents have in common."""

from __future__ import annotations

from porism.search.shared_formulas import shared_formulas
from porism.types import Formula


def test_the_closest_kind_of_each_formula() -> None:
    left = [r"a^2+b^2", r"\sum_{n=1}^\infty\frac1{n^2}", "x", r"(x+y)^2", r"\frac{1}{n^2}+1=q", "u+v", r"\sin t"]
    right = ["x", r"\sum_{k\ge2} k^{-2}", "p^2+q^2", "a^2+2ab+b^2", r"\frac1{m^2}\to r", "u+v", r"\cos t", "u+v"]
    shared = list(shared_formulas(list(map(Formula, left)), list(map(Formula, right))))
    assert {(each.left, each.right, each.kind, each.part) for each in shared} == {
        ((1,), (1,), "other bounds", 0), ((0,), (2,), "renamed", 0), ((3,), (3,), "equal value", 0),
        ((4,), (4,), "part", 2), ((5,), (5, 7), "same", 0),
    }
    assert [each.left[0] for each in shared] == [1, 4, 0, 3, 5]  # the longest first
    assert all(each.share == 1 for each in shared if each.kind in ("same", "renamed", "equal value"))
