"""Agreement of judges, by hand."""

from __future__ import annotations

import pytest

from porism.lab.evaluate.agreement import agreement


def test_agreement_is_that_of_the_documents_that_both_have_graded() -> None:
    # of 50 proposals both say yes to 20 and no to 15, one alone to 5 and the other alone to 10
    answers = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15
    first = {"T": {str(number): one for number, (one, _) in enumerate(answers)} | {"alone": 1}, "U": {"0": 1}}
    second = {"T": {str(number): other for number, (_, other) in enumerate(answers)}, "V": {"0": 0}}
    found = agreement(first, second)
    assert found is not None
    assert found.documents == 50
    assert found.share == pytest.approx(0.7)
    assert found.kappa == pytest.approx(0.4)  # chance: 0.5 · 0.6 + 0.5 · 0.4
    assert agreement(second, first) == found


def test_no_kappa_where_chance_explains_all_and_no_agreement_without_documents() -> None:
    same = agreement({"T": {"a": 2, "b": 2}}, {"T": {"a": 2, "b": 2}})
    assert same == (2, 1.0, None)
    assert agreement({"T": {"a": 1}}, {"T": {"b": 1}}) is None
    assert agreement({}, {"T": {"b": 1}}) is None
