"""Weighted sums of models: candidates of all parts, scores of each, normalised query by query."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import every_case
from dense_cases import WORDS, encoded_index, query, write_index
from numpy.typing import NDArray

from porism.errors import ConfigError, QueryError
from porism.explanation import Explanation
from porism.runs.run import Run
from porism.search.index import Index, open_index
from porism.search.models.models import known_models, model_from, read_model, write_model
from porism.search.models.sums.retriever import Part, SumModel, SumRetriever, scale_of
from porism.types import Query
from porism.vectors.dense.model import DenseModel

ASKED = " ".join(WORDS[3:9])
SCORES = {"a": {"x": 4.0, "y": 2.0, "z": 0.0, "w": 1.0}, "b": {"x": 0.0, "y": 10.0, "z": 30.0, "w": 29.0}}


class Fixed:
    """A retriever whose scores are given; documents of score 0 are not found."""

    model = DenseModel(tuned_on=("A.1",))

    def __init__(self, scores: dict[str, float]) -> None:
        self.known = scores

    def search(self, queries: Iterable[Query], k: int = 1000, **more: Any) -> Run:
        found = sorted(((doc, score) for doc, score in self.known.items() if score), key=lambda one: -one[1])[:k]
        return Run({query.id: found for query in queries})

    def score_documents(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        return np.array([self.known.get(doc, np.nan) for doc in doc_ids])

    def explain(self, query: Query, doc_id: str, **more: Any) -> Explanation:
        return Explanation(self.known[doc_id], "fixed", [Explanation(self.known[doc_id], "all of it")])

    def describe(self) -> dict[str, Any]:
        return {"kind": "fixed"}


def of_fixed(**settings: Any) -> SumRetriever:
    model = SumModel({"a": Part(3.0), "b": Part(1.0), "off": Part(0.0)}, **settings)
    return SumRetriever(None, model, {name: Fixed(scores) for name, scores in SCORES.items()})  # type: ignore


@every_case(("how", "expected"), [
    # x, y, z and w are candidates: a has 4 2 0 1, b has 0 10 30 29
    ("min-max", {"x": 3.0, "y": 1.5 + 1 / 3, "z": 1.0, "w": 0.75 + 29 / 30}),
    ("max", {"x": 3.0, "y": 1.5 + 1 / 3, "z": 1.0, "w": 0.75 + 29 / 30}),
    ("none", {"x": 12.0, "y": 16.0, "z": 30.0, "w": 32.0}),
])
def test_scores_are_the_weighted_sum_of_normalised_ones(how: Any, expected: dict[str, float]) -> None:
    found = of_fixed(normalisation=how).search([query("q")], 10)["q"]
    ranked = sorted(expected, key=lambda name: -expected[name])
    assert [name for name, _ in found] == ranked
    np.testing.assert_allclose([score for _, score in found], [expected[name] for name in ranked])


def test_a_z_score_has_mean_0_and_deviation_1() -> None:
    found = dict(of_fixed(normalisation="z-score").search([query("q")], 10)["q"])
    a, b = ([SCORES[part][name] for name in "xyzw"] for part in "ab")
    expected = 3 * (np.array(a) - np.mean(a)) / np.std(a) + (np.array(b) - np.mean(b)) / np.std(b)
    np.testing.assert_allclose([found[name] for name in "xyzw"], expected)


def test_the_first_documents_of_each_part_are_the_candidates() -> None:
    shallow = of_fixed(depth=1)  # x of a and z of b
    assert dict(shallow.search([query("q")], 1)["q"]) == {"x": 3.0}
    deeper = dict(shallow.search([query("q")], 4)["q"])
    assert deeper["x"] == 3.0  # scales are those of the first depth
    assert deeper["w"] == pytest.approx(0.75 + 29 / 30)
    assert np.isnan(shallow.score_documents(query("q"), ["none"])[0])
    assert shallow.score_documents(query("q"), ["w", "x"]).tolist() == [deeper["w"], deeper["x"]]


def test_scores_that_do_not_differ_are_no_division_by_zero() -> None:
    assert scale_of(np.full(3, 2.0), "min-max").apply(np.full(3, 2.0)).tolist() == [0, 0, 0]
    assert scale_of(np.zeros(3), "max").apply(np.zeros(3)).tolist() == [0, 0, 0]
    assert scale_of(np.zeros(0), "z-score") == (0, 1)


def test_explanations_add_up_and_show_each_part() -> None:
    retriever = of_fixed()
    told = retriever.explain(query("q"), "w")
    assert told.value == pytest.approx(0.75 + 29 / 30)
    assert [part.label.split(":")[0] for part in told.parts] == ["a", "b"]

    def check(node: Explanation) -> None:
        if node.parts:
            assert sum(part.value for part in node.parts) == pytest.approx(node.value)
        for part in node.parts:
            check(part)

    check(told)
    run = retriever.search([query("q")], 2)
    assert run.provenance is not None
    assert run.provenance.tuned_on == ("A.1",)
    with pytest.raises(QueryError, match="0 results"):
        retriever.search([query("q")], 0)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tiny_models import need_encoders

    need_encoders()
    return encoded_index(tmp_path_factory.mktemp("sums"))[0]


def test_words_and_vectors_are_summed_end_to_end(index: Path) -> None:
    settings = {"kind": "sum", "parts": {"words": {"weight": 0.25}, "dense": {"weight": 0.75}}}
    model = model_from(settings)
    assert model_from(write_model(model)) == model
    with open_index(index, model) as opened:
        parts = {name: opened.with_models(name).retriever for name in ("words", "dense")}
        asked = query(ASKED)
        found = opened.run([asked], 5)["q"]
        union = list(dict.fromkeys(doc for part in parts.values() for doc, _ in part.search([asked], 200)["q"]))
        expected = np.zeros(len(union))
        for name, weight in (("words", 0.25), ("dense", 0.75)):
            scores = parts[name].score_documents(asked, union)
            expected += weight * (scores - scores.min()) / (scores.max() - scores.min())
        ranked = sorted(zip(union, expected.tolist(), strict=True), key=lambda one: (-one[1], one[0]))
        assert [doc for doc, _ in found] == [doc for doc, _ in ranked[:5]]
        np.testing.assert_allclose([score for _, score in found], [score for _, score in ranked[:5]])
        told = opened.explain(asked, found[0][0])
        assert told.value == pytest.approx(found[0][1])
        assert "cosine by the encoder tiny" in str(told)
        assert opened.search(ASKED, 3)[0].id == found[0][0]


def test_a_named_sum_says_what_to_run_where_vectors_are_missing(tmp_path: Path) -> None:
    assert isinstance(known_models()["neural"], SumModel)
    assert set(read_model("neural").parts) == {"default", "dense"}  # type: ignore[attr-defined]
    path = write_index(tmp_path / "i.index")
    from dense_cases import document

    write_index(path, [document(1)])
    with pytest.raises(ConfigError, match=r"no vectors of documents.*porism encode"):
        Index(path, SumModel({"words": Part(), "dense": Part()}))


def test_parts_that_do_not_exist_are_refused(index: Path) -> None:
    with pytest.raises(ConfigError, match="needs a part"):
        model_from({"kind": "sum"})
    with pytest.raises(ConfigError, match="weight cannot be -1"):
        model_from({"kind": "sum", "parts": {"words": {"weight": -1}}})
    for parts, said in (
        ({"wrods": {}}, "no model 'wrods'"),
        ({"x": {"model": "wrods"}}, "no model 'wrods'"),
        ({"x": {"settings": {"kind": "danse"}}}, "no kind of model 'danse'"),
        ({"words": {"settings": {"chanels": 1}}}, "no setting 'chanels'"),
    ):
        with pytest.raises(ConfigError, match=said):
            Index(index, model_from({"kind": "sum", "parts": parts}))


def test_a_part_can_have_a_name_and_settings_of_its_own(index: Path) -> None:
    parts = {"near": {"settings": {"kind": "dense", "encoder": "tiny"}}, "text": {"model": "words"}}
    with open_index(index, model_from({"kind": "sum", "parts": parts})) as opened:
        assert len(opened.run([query(ASKED)], 5)["q"]) == 5
