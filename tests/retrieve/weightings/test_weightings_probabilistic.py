"""Language models and divergence from randomness give what their papers' formulas give by hand."""

from __future__ import annotations

import math

import pytest
from case_tables import every_case
from weighting_cases import TINY, Counted, score

from porism.errors import ConfigError
from porism.retrieve.weightings import DPH, PL2, Dirichlet, InL2, JelinekMercer


def test_dirichlet_is_the_query_likelihood():
    counted = Counted(TINY)
    asked = {"a": 2.0, "ccc": 1.0}
    p = {"a": 3 / 12, "ccc": 3 / 12}
    of_query = sum(q * math.log(p[t]) for t, q in asked.items())  # what is left out
    mu = 10.0
    for document, tf in ((0, {"a": 2, "ccc": 0}), (1, {"a": 1, "ccc": 3})):
        likelihood = sum(q * math.log((tf[t] + mu * p[t]) / (len(TINY[document]) + mu)) for t, q in asked.items())
        assert counted.scores(Dirichlet(mu), asked)[document] == pytest.approx(likelihood - of_query)


def test_query_terms_that_the_collection_lacks_do_not_change_dirichlet():
    assert score(Dirichlet(), {"a": 1, "none": 5}, 0) == score(Dirichlet(), {"a": 1}, 0)


def test_jelinek_mercer_is_the_query_likelihood():
    asked = {"a": 2.0, "ccc": 1.0}
    of_query = sum(q * math.log(0.3 * 3 / 12) for q in asked.values())
    for document, tf in ((0, {"a": 2, "ccc": 0}), (1, {"a": 1, "ccc": 3})):
        length = len(TINY[document])
        likelihood = sum(q * math.log(0.7 * tf[t] / length + 0.3 * 3 / 12) for t, q in asked.items())
        assert score(JelinekMercer(0.3), asked, document) == pytest.approx(likelihood - of_query)


def test_pl2():
    tfn = 3 * math.log2(1 + 2.0 * 3 / 5)
    rate = 3 / 4
    information = (
        tfn * math.log2(tfn / rate) + (rate + 1 / (12 * tfn) - tfn) * math.log2(math.e)
        + 0.5 * math.log2(2 * math.pi * tfn)
    )
    assert score(PL2(c=2.0), {"ccc": 2}, 1) == pytest.approx(2 * information / (tfn + 1))


def test_pl2_where_a_term_occurs_as_often_as_expected():
    values = Counted([["x"] * 3 + ["y"]] * 30).scores(PL2(), {"x": 1})  # tfn and λ are 3
    assert values[0] == pytest.approx(((1 / 36) * math.log2(math.e) + 0.5 * math.log2(6 * math.pi)) / 4)


def test_pl2_is_positive_for_any_frequency():
    texts = [["x"] * tf + ["y"] * rest for tf in (1, 2, 50) for rest in (1, 30, 3000)]
    for c in (0.01, 1.0, 100.0):
        assert min(Counted(texts).scores(PL2(c), {"x": 1})) > 0


def test_dph_is_negative_where_a_term_is_rarer_than_elsewhere():
    values = Counted([["x"] * 20 + ["y"]] * 9 + [["x"] + ["y"] * 20]).scores(DPH(), {"x": 1})
    rest, chance = 20 / 21, (1 / 21) * 10 / (181 / 21)
    assert values[9] == pytest.approx(rest**2 / 2 * (math.log2(chance) + 0.5 * math.log2(2 * math.pi * rest)))
    assert values[9] < 0


def test_inl2():
    tfn = 3 * math.log2(1 + 3 / 5)
    assert score(InL2(), {"ccc": 1}, 1) == pytest.approx(math.log2(5 / 1.5) * tfn / (tfn + 1))


def test_dph():
    f = 3 / 5
    information = 3 * math.log2(3 * (3 / 5) * (4 / 3)) + 0.5 * math.log2(2 * math.pi * 3 * (1 - f))
    assert score(DPH(), {"ccc": 1}, 1) == pytest.approx((1 - f) ** 2 / 4 * information)


def test_dph_of_a_document_of_one_term_is_0():
    assert score(DPH(), {"bb": 1}, 4) == 0.0


@every_case(("weighting", "value", "told"), [
    (Dirichlet, 0.0, "mu = 0.0"),
    (Dirichlet, float("inf"), "mu = inf"),
    (JelinekMercer, 0.0, "lambda = 0.0"),
    (JelinekMercer, 1.0, "lambda = 1.0"),
    (PL2, 0.0, "c = 0.0"),
    (InL2, float("nan"), "c = nan"),
])
def test_parameters_out_of_range_are_refused(weighting, value, told):
    with pytest.raises(ConfigError, match=told):
        weighting(value)
