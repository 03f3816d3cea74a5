"""``porism similar``, and ``porism search`` with judged documents, on the sample."""

from __future__ import annotations

import json

import pytest


def test_documents_like_one(porism, sample_index) -> None:
    result = porism("similar", "basel-by-parseval", "--index", sample_index, "-k", 3, "--json")
    assert result.status == 0
    hits = json.loads(result.out)
    assert [hit["rank"] for hit in hits] == [1, 2, 3]
    assert all(set(hit) == {"rank", "id", "score", "title", "snippet", "location", "metadata"} for hit in hits)
    assert "basel-by-parseval" not in [hit["id"] for hit in hits]
    one = json.loads(porism("similar", "basel-by-parseval", "--index", sample_index, "-k", 3, "--json",
                            "--terms", 1, "--field", "title").out)
    assert [hit["score"] for hit in one] != [hit["score"] for hit in hits]


def test_explanations_add_up(porism, sample_index) -> None:
    result = porism("similar", "basel-by-parseval", "--index", sample_index, "-k", 2, "--json", "--explain")
    for hit in json.loads(result.out):
        assert hit["explanation"]["value"] == hit["score"]
        assert sum(part["value"] for part in hit["explanation"]["parts"]) == pytest.approx(hit["score"])
    listed = porism("similar", "basel-by-parseval", "--index", sample_index, "-k", 1, "--explain")
    assert " 1. " in listed.out
    assert "channel words" in listed.out


def test_unknown_documents_and_models_that_share_nothing(porism, sample_index) -> None:
    result = porism("similar", "nowhere", "--index", sample_index)
    assert result.status == 1
    assert "there is no document 'nowhere' in the index" in result.err
    nothing = porism("similar", "basel-by-parseval", "--index", sample_index, "--filter", "tags=unheard-of")
    assert nothing.status == 0
    assert "No other document shares" in nothing.out


def test_a_search_learns_from_documents_given(porism, sample_index) -> None:
    def found(*options: str) -> dict[str, float]:
        result = porism("search", "sum of a series", "--index", sample_index, "-k", 400, "--json", *options)
        return {hit["id"]: hit["score"] for hit in json.loads(result.out)}

    plain = found("--model", "plain")
    judged = found("--model", "plain", "--relevant", "basel-by-parseval")
    assert judged["basel-by-parseval"] > plain["basel-by-parseval"]
    against = found("--model", "plain", "--relevant", next(iter(plain)), "--not-relevant", "basel-by-parseval")
    assert against["basel-by-parseval"] < judged["basel-by-parseval"]
    unknown = porism("search", "sum", "--index", sample_index, "--relevant", "nowhere")
    assert unknown.status == 1
    assert "nowhere" in unknown.err
    formulas = porism("search", "$x$", "--formulas", "--index", sample_index, "--relevant", "basel-by-parseval")
    assert formulas.status == 2
