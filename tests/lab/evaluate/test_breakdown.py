"""Groups of topics, and what queries are made of."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.corpus import read_topic_information, read_topics
from porism.errors import ConfigError, QueryError
from porism.lab.evaluate import (
    GroupDifference,
    QueryFeatures,
    breakdown,
    evaluate_run,
    groups_by,
    length_groups,
    math_share_groups,
    query_features,
    value_groups,
)
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.types import Content, Formula, Query

Ranked = Callable[..., Run]
QRELS = {topic: {"a": 2, "b": 0} for topic in "stuv"}


def asked(topic: str, *parts: str | Formula) -> Query:
    return Query(topic, {"query": Content.of(*parts)})


def test_features_by_hand() -> None:
    # The operator tree of x^2 + 1 is add(sup(x, 2), 1): five nodes.
    query = Query("q", {
        "title": Content.of("Is it Gauss's?"),  # Is it Gauss s
        "question": Content.of("Why is ", Formula("x^2+1"), " of the 2nd degree, ", Formula("x"), "?"),
    })
    assert query_features(query) == QueryFeatures(words=4 + 6, formulas=2, formula_tokens=5 + 1)
    assert query_features(query).length == 16
    assert query_features(query).math_share == 6 / 16


def test_features_of_odd_queries() -> None:
    assert query_features(Query("q", {})).math_share == 0.0
    assert query_features(asked("q", " … ")) == QueryFeatures(0, 0, 0)
    assert query_features(asked("q", Formula("x"))).math_share == 1.0
    broken = query_features(asked("q", "a ", Formula(r"\frac{x")))
    assert broken.formulas == 1
    assert broken.formula_tokens >= 1
    mathml = Formula("<math><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><mn>1</mn></math>", "mathml")
    assert query_features(asked("q", mathml)).formula_tokens == 5


INFORMATION = {
    "s": {"category": "Proof", "difficulty": "High", "votes": "10"},
    "t": {"category": "Computation", "difficulty": "Low", "votes": "9"},
    "u": {"category": "Proof", "difficulty": "Medium", "votes": "100"},
    "v": {"category": "", "difficulty": "Low", "votes": "9"},
}


def test_groups_stand_in_the_usual_order() -> None:
    assert groups_by(INFORMATION, "Category") == {"Computation": ("t",), "Proof": ("s", "u"), "unknown": ("v",)}
    assert list(groups_by(INFORMATION, "category")) == ["Computation", "Proof", "unknown"]
    assert list(groups_by(INFORMATION, "difficulty")) == ["Low", "Medium", "High"]
    assert list(groups_by(INFORMATION, "votes")) == ["9", "10", "100"]


def test_an_unknown_column_is_named_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"topics have no 'categry'\. Did you mean category\?"):
        groups_by(INFORMATION, "categry")


def test_a_breakdown_by_hand(ranked: Ranked) -> None:
    runs = [ranked("one", s="a", t="ba", u="ba", v="a"), ranked("two", s="ba", t="a", u="a", x="a")]
    evaluations = [evaluate_run(run, QRELS, ["RR", "num_rel_ret"]) for run in runs]
    found = breakdown(evaluations, groups_by(INFORMATION, "category"), by="category")
    assert found.groups == ("Computation", "Proof", "unknown")
    assert found.topics["Proof"] == ("s", "u")
    assert found.values["Proof"] == {"one": {"RR": 0.75, "num_rel_ret": 2}, "two": {"RR": 0.75, "num_rel_ret": 2}}
    assert found.value("Computation", "one", "RR") == 0.5
    assert found.value("unknown", "two", "RR") == 0.0  # not in the run
    assert found.table().splitlines() == [
        "category     run  topics      RR  num_rel_ret",
        "Computation  one       1  0.5000            1",
        "Computation  two       1  1.0000            1",
        "Proof        one       2  0.7500            2",
        "Proof        two       2  0.7500            2",
        "unknown      one       1  1.0000            1",
        "unknown      two       1  0.0000            0",
    ]
    assert json.loads(json.dumps(found.to_dict()))["groups"]["unknown"] == {
        "topics": ["v"],
        "runs": {"one": {"RR": 1.0, "num_rel_ret": 1}, "two": {"RR": 0.0, "num_rel_ret": 0}},
    }


def test_differences_in_groups_by_hand(ranked: Ranked) -> None:
    runs = [ranked("one", s="a", t="ba", u="ba", v="a"), ranked("two", s="ba", t="a", u="a", x="a")]
    evaluations = [evaluate_run(run, QRELS, ["RR", "num_rel_ret"]) for run in runs]
    groups = groups_by(INFORMATION, "category")
    assert breakdown(evaluations, groups).difference("Proof", "two", "RR") is None
    found = breakdown(evaluations, groups, baseline=0, level=0.9)
    assert found.difference("Computation", "two", "RR") == GroupDifference(0.5, (0.5, 0.5), 1, 1, 0)
    assert found.difference("Proof", "two", "RR") == GroupDifference(0.0, (-0.5, 0.5), 2, 1, 1)  # -0.5 and +0.5
    assert found.difference("unknown", "two", "num_rel_ret") == GroupDifference(-1.0, (-1.0, -1.0), 1, 0, 1)
    assert found.difference("Proof", "one", "RR") is None
    other = breakdown(evaluations, groups, baseline=1)
    assert other.difference("unknown", "one", "RR") == GroupDifference(1.0, (1.0, 1.0), 1, 1, 0)
    counts = breakdown(evaluations, {"all": tuple("stuv")}, baseline=1).difference("all", "one", "num_rel_ret")
    assert counts is not None
    assert counts.difference == 1.0  # of sums, as the values are
    plain = json.loads(json.dumps(found.to_dict()))
    assert (plain["baseline"], plain["level"]) == ("one", 0.9)
    assert plain["groups"]["Proof"]["differences"] == {"two": {
        "RR": {"difference": 0.0, "interval": [-0.5, 0.5], "topics": 2, "wins": 1, "losses": 1},
        "num_rel_ret": {"difference": 0.0, "interval": [0.0, 0.0], "topics": 2, "wins": 0, "losses": 0},
    }}


def test_a_breakdown_says_what_was_tuned_on_its_topics(ranked: Ranked) -> None:
    tuned = ranked("mine", s="a", t="b").with_provenance(Provenance(tuned_on=("s",)))
    found = breakdown(evaluate_run(tuned, QRELS, ["P@1"]), {"g": ("s", "t", "u", "v")})
    assert found.tuned == {"mine": "tuned on 1 of these 4 topics: not held out"}
    assert found.table().splitlines()[-1] == "tuned on 1 of these 4 topics: not held out"
    both = breakdown([evaluate_run(run, QRELS, ["P@1"]) for run in (ranked("other", s="a"), tuned)], {"g": ("s",)})
    assert both.table().splitlines()[-1] == "mine: tuned on 1 of these 4 topics: not held out"
    assert both.to_dict()["tuned"] == {"mine": "tuned on 1 of these 4 topics: not held out"}


def test_groups_and_topics_that_do_not_meet(ranked: Ranked) -> None:
    evaluation = evaluate_run(ranked("one", s="a", t="ba"), {"s": {"a": 2}, "t": {"a": 2}}, ["RR"])
    found = breakdown(evaluation, {"some": ("s", "z"), "none": ("y",)}, by="kind")
    assert found.topics == {"some": ("s",)}
    assert found.ungrouped == ("t",)
    assert found.table().splitlines() == ["kind  topics      RR", "some       1  1.0000", "in no group: t"]
    with pytest.raises(QueryError, match="Scored were s, t; the groups have y, z"):
        breakdown(evaluation, {"none": ("y", "z")}, by="kind")


def test_an_undefined_measure_is_absent(ranked: Ranked) -> None:
    evaluation = evaluate_run(ranked("one", s="a", t="ab"), {"s": {"a": 0}, "t": {"a": 2, "b": 0}}, ["Accuracy"])
    found = breakdown(evaluation, {"s": ("s",), "t": ("t",)})
    assert found.value("s", "one", "Accuracy") is None
    assert found.value("t", "one", "Accuracy") == 1.0
    assert "–" in found.table().splitlines()[1]


def test_groups_of_about_one_size() -> None:
    values = {name: float(value) for name, value in zip("abcdefgh", [5, 1, 2, 3, 4, 6, 7, 8], strict=True)}
    assert value_groups(values, 4, "tokens") == {
        "1–2 tokens": ("b", "c"), "3–4 tokens": ("d", "e"), "5–6 tokens": ("a", "f"), "7–8 tokens": ("g", "h"),
    }
    assert value_groups({"a": 1, "b": 1, "c": 1, "d": 2}, 2) == {"1": ("a", "b", "c"), "2": ("d",)}
    assert value_groups({"a": 3.25}, 4, "% mathematics") == {"3.2% mathematics": ("a",)}
    assert value_groups({}, 3) == {}
    # Two groups whose values look alike when they are written are one.
    assert value_groups({"a": 3.21, "b": 3.22}, 2) == {"3.2": ("a", "b")}


@given(st.dictionaries(st.text(min_size=1, max_size=3), st.integers(0, 30)), st.integers(1, 6))
def test_groups_part_the_topics_from_low_to_high(values: dict[str, float], bins: int) -> None:
    groups = value_groups(values, bins)
    assert sorted(topic for members in groups.values() for topic in members) == sorted(values)
    assert len(groups) <= bins
    previous = -1.0
    for members in groups.values():
        assert min(values[topic] for topic in members) > previous
        previous = max(values[topic] for topic in members)


def test_groups_by_bounds() -> None:
    values = {"a": 5.0, "b": 20.0, "c": 49.9, "d": 50.0}
    assert value_groups(values, [20, 50], "tokens") == {
        "< 20 tokens": ("a",), "20 to < 50 tokens": ("b", "c"), "≥ 50 tokens": ("d",),
    }
    assert value_groups(values, [0.5]) == {"≥ 0.5": ("a", "b", "c", "d")}
    for bad in ([], [3, 3], [5, 2]):
        with pytest.raises(ConfigError, match="do not rise"):
            value_groups(values, bad)
    with pytest.raises(ConfigError, match="0 groups"):
        value_groups(values, 0)


def test_groups_of_queries() -> None:
    queries = [asked("s", "one two"), asked("t", "one ", Formula("x")), asked("u", Formula("x"), " a b c d")]
    assert length_groups(queries, [3]) == {"< 3 tokens": ("s", "t"), "≥ 3 tokens": ("u",)}
    assert math_share_groups(queries, [10, 50]) == {
        "< 10% mathematics": ("s",), "10 to < 50% mathematics": ("u",), "≥ 50% mathematics": ("t",),
    }


@pytest.mark.needs_shared_data
def test_topics_of_2021(shared_data: Path) -> None:
    folder = shared_data / "arqmath-topics" / "2021"
    information = read_topic_information(folder / "Task1_ARQMath2_Topic_Information.csv")
    assert list(groups_by(information, "dependency")) == ["Text", "Formula", "Both"]
    assert list(groups_by(information, "category")) == ["Calculation", "Concept", "Proof"]
    queries = read_topics(folder / "Topics_Task1_2021.xml")
    lengths = length_groups(queries)
    assert len(lengths) == 4
    assert all(22 <= len(members) <= 28 for members in lengths.values())
    assert sum(map(len, math_share_groups(queries, [25, 50, 75]).values())) == len(queries)
