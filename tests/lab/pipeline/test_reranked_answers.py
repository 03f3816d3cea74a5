"""Answers that were re-ranked, and why their documents have their scores."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from porism.errors import ConfigError, QueryError
from porism.explanation import Explanation
from porism.lab.pipeline import RetrieverReranker, ScoringReranker
from porism.lab.pipeline.protocols import Reranker
from porism.lab.pipeline.rerankers.explaining import RerankerChain, rerank_explained
from porism.lab.pipeline.rerankers.named import named_reranker
from porism.runs.run import Run
from porism.search.answering import IndexAnswers
from porism.search.answers import Answer, Hit
from porism.search.index import Index, open_index
from porism.settings import SettingError
from porism.types import Content, Query

QUESTION = "sum of squares $k^2$"
QUERY = Query("q", {"query": Content("words")})
RUN = Run({"q": [("a", 9.0), ("b", 5.0), ("c", 4.0), ("d", 1.0)]}, "first")


class Given(ScoringReranker):
    """Gives documents the scores that it was given, and counts how often it is asked."""

    name = "given"

    def __init__(self, scores: dict[str, float], depth: int = 3, first_stage: float = 0.0) -> None:
        self.known, self.depth, self.first_stage, self.asked = scores, depth, first_stage, 0

    def scores(self, query, doc_ids):
        self.asked += 1
        return np.array([self.known.get(doc_id, np.nan) for doc_id in doc_ids])


def sums(tree: Explanation) -> bool:
    """Whether every node of a tree with parts is their sum."""
    whole = not tree.parts or tree.value == pytest.approx(sum(part.value for part in tree.parts))
    return whole and all(sums(part) for part in tree.parts)


def reranked(index: Index, question: str, rerankers: Sequence[Reranker], k: int, **options: Any) -> Answer[Hit]:
    """An answer whose first results were re-ranked."""
    return IndexAnswers(index).search(question, k, rerank=RerankerChain(rerankers), **options)


@pytest.fixture(scope="module")
def index(sample_index: Path) -> Iterator[Index]:
    with open_index(sample_index) as opened:
        yield opened


def test_a_score_is_explained_by_the_reranker_which_scores_once() -> None:
    reranker = Given({"a": 1.0, "b": 3.0})
    done = rerank_explained(reranker, QUERY, RUN)
    assert done.run["q"] == reranker.rerank([QUERY], RUN)["q"]
    assert [doc_id for doc_id, _ in done.run["q"]] == ["b", "a", "c", "d"]
    assert reranker.asked == 2  # once here, once by the comparison
    assert done.explain("b") == Explanation(3.0, "score by given")
    score = dict(done.run["q"])
    assert done.explain("c") == Explanation(
        score["c"], "without a score by given: below the others, in the order before"
    )
    assert done.explain("d") == Explanation(
        score["d"], "below the first 3 results, which given re-ranked: as before, rank 4"
    )
    with pytest.raises(QueryError, match="'z' is not among the results"):
        done.explain("z")


def test_the_share_of_the_first_stage_is_explained() -> None:
    done = rerank_explained(Given({"a": 1.0, "b": 3.0, "c": 5.0}, first_stage=0.25), QUERY, RUN)
    (new_deviation, old_deviation) = (np.std([1.0, 3.0, 5.0]), np.std([9.0, 5.0, 4.0]))
    explained = done.explain("c")
    assert explained.value == pytest.approx(0.75 * 2 / new_deviation + 0.25 * (4 - 6) / old_deviation)
    assert explained.value == dict(done.run["q"])["c"]
    assert explained.label == "sum of standard scores over the 3 documents that given scored"
    new, before = explained.parts
    assert new.value == pytest.approx(0.75 * 2 / new_deviation)
    assert new.label == "given: 0.75 · (5.0000 - 3.0000) / 1.6330"
    assert [part.value for part in new.parts] == pytest.approx([0.75 * 5 / new_deviation, -0.75 * 3 / new_deviation])
    assert before.label == "the stage before, where it has rank 3: 0.25 · (4.0000 - 6.0000) / 2.1602"
    assert sums(explained)


def test_equal_scores_are_no_reason() -> None:
    done = rerank_explained(Given({"a": 2.0, "b": 2.0}, first_stage=0.5), QUERY, RUN)
    assert [part.value for part in done.explain("a").parts] == pytest.approx([0.0, 0.5])
    assert sums(done.explain("a"))


def test_any_reranker_has_an_explanation() -> None:
    class Backwards:
        depth = 4

        def rerank(self, queries, run, depth=100):
            return Run({"q": [(doc_id, -score) for doc_id, score in run["q"][:depth]]}, run.name)

    done = rerank_explained(Backwards(), QUERY, RUN)
    assert done.explain("d") == Explanation(-1.0, "score by Backwards")


def test_a_search_by_another_model_re_ranks_an_answer(index: Index) -> None:
    plain = IndexAnswers(index).search(QUESTION, 20)
    found = reranked(index, QUESTION, [RetrieverReranker(index, "words", depth=5)], 8, explain=True)
    words = index.with_models("words").retriever
    query = index.question(QUESTION, guess_formulas=True).query
    first = [hit.id for hit in plain.hits[:5]]
    scores = dict(zip(first, words.score_documents(query, first), strict=True))
    assert [hit.id for hit in found.hits[:5]] == sorted(sorted(first, reverse=True), key=lambda one: -scores[one])
    assert [hit.id for hit in found.hits[5:]] == [hit.id for hit in plain.hits[5:8]]
    assert found.hints == plain.hints
    for hit in found.hits:
        search, last = hit.stages
        assert (search.stage, last.stage) == ("search", "RetrieverReranker")
        before = next(one for one in plain.hits if one.id == hit.id)
        assert (search.rank, search.score) == (before.rank, pytest.approx(before.score))
        assert search.explanation is not None
        assert search.explanation.value == pytest.approx(search.score)
        assert (last.rank, last.score, last.explanation) == (hit.rank, hit.score, hit.explanation)
        assert hit.explanation is not None
        assert hit.explanation.value == pytest.approx(hit.score)
        assert sums(hit.explanation)
        assert sums(search.explanation)
        assert hit.matches is not None
    value = json.loads(json.dumps(found.to_dict()))["hits"][0]
    assert [stage["stage"] for stage in value["stages"]] == ["search", "RetrieverReranker"]
    assert value["stages"][1]["explanation"] == value["explanation"]


def test_stages_follow_one_another_and_have_ranks_without_reasons(index: Index) -> None:
    first = named_reranker(index, "words", 6)
    second = named_reranker(index, "retriever:model=tokens;depth=3")
    found = reranked(index, QUESTION, [first, second], 3)
    assert [stage.stage for stage in found.hits[0].stages] == ["search", "words", "retriever"]
    assert sorted(hit.stages[1].rank for hit in found.hits) == [1, 2, 3]
    assert [hit.stages[2].rank for hit in found.hits] == [1, 2, 3]
    for hit in found.hits:
        assert hit.explanation is None
        assert hit.matches is None
        assert set(hit.to_dict()["stages"][0]) == {"stage", "rank", "score"}


def test_a_reranker_has_a_name_of_several_kinds(index: Index, tmp_path: Path) -> None:
    assert named_reranker(index, "words").depth == 100
    assert named_reranker(index, "words", 7).depth == 7
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"anchor": "x", "positive": "y", "positive_id": "series-1", "negatives": []}) + "\n")
    prior = named_reranker(index, f"prior:pairs={pairs};first_stage=0.5;depth=9")
    assert (prior.name, prior.depth, prior.first_stage) == ("prior", 9, 0.5)
    settings = tmp_path / "prior.toml"
    settings.write_text('kind = "prior"\npairs = "pairs.jsonl"\ndepth = 11\n')
    by_file = named_reranker(index, str(settings))
    assert (by_file.name, by_file.depth, by_file.first_stage, by_file.counts) == (
        "prior.toml", 11, 0.7, {"series-1": 1}
    )
    model = tmp_path / "model.toml"
    model.write_text('model = "words"\n')
    assert named_reranker(index, str(model)).retriever.model == index.with_models("words").retriever.model


def test_names_that_stand_for_nothing(index: Index, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no reranker 'wrods'") as error:
        named_reranker(index, "wrods")
    assert error.value.hint == "Did you mean words?"
    with pytest.raises(ConfigError, match="which kind of reranker"):
        named_reranker(index, str(tmp_path))
    with pytest.raises(ConfigError, match="needs a model"):
        named_reranker(index, "cross-encoder")
    with pytest.raises(SettingError, match="depth"):
        named_reranker(index, "words:depth=0")


def test_conditions_filters_and_judged_documents_belong_to_the_first_stage(index: Index) -> None:
    by_words = RetrieverReranker(index, "words", depth=5)
    first = IndexAnswers(index).search("sum of squares", 1).hits[0]
    (key, value), *_ = ((key, value) for key, value in first.metadata.items() if isinstance(value, str))
    filtered = reranked(index, "sum", [by_words], 5, filters={key: value})
    assert filtered.hits
    assert {hit.metadata[key] for hit in filtered.hits} == {value}
    phrase = reranked(index, '"no such phrase anywhere"', [by_words], 3)
    assert (phrase.hits, phrase.restricted) == ((), True)
    assert not reranked(index, "squares", [by_words], 3).restricted
    judged = reranked(index, "sum", [by_words], 3, relevant=[first.id], explain=True)
    plain = IndexAnswers(index).search("sum", 100, relevant=[first.id])
    for hit in judged.hits:
        search = hit.stages[0]
        assert search.explanation is not None
        assert search.score == pytest.approx(next(one.score for one in plain.hits if one.id == hit.id))
        assert search.explanation.value == pytest.approx(search.score)
    latex = reranked(index, QUESTION, [by_words], 1, formulas="latex").hits[0]
    before = IndexAnswers(index).search(QUESTION, 20, formulas="latex").hits[latex.stages[0].rank - 1]
    assert str(latex.snippet) == str(before.snippet)


def test_nothing_to_re_rank_and_no_depth_of_its_own() -> None:
    class Same:
        def rerank(self, queries, run, depth=100):
            return run.top(depth)

    many = Run({"q": [(f"d{number:03}", 1000.0 - number) for number in range(120)], "r": [("a", 1.0)]}, "many")
    done = rerank_explained(Same(), QUERY, many)
    assert (done.depth, len(done.run["q"]), "r" in done.run) == (100, 100, False)
    assert len(rerank_explained(Same(), QUERY, many, 7).run["q"]) == 7
    empty = rerank_explained(Given({}), QUERY, Run({"q": []}, "none"))
    assert empty.run["q"] == []
    with pytest.raises(QueryError, match="depth"):
        rerank_explained(Given({}), QUERY, many, 0)
