"""``porism similar``, and ``porism search`` with judged documents, on the sample."""

from __future__ import annotations

import json
import shutil

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


def test_two_documents_are_compared_by_the_terms_that_match(porism, sample_index) -> None:
    first = json.loads(porism("similar", "basel-by-parseval", "--index", sample_index, "-k", 1, "--json").out)[0]
    compared = porism("similar", "basel-by-parseval", "--with", first["id"], "--index", sample_index, "--json")
    found = json.loads(compared.out)
    assert (found["id"], found["with"]) == ("basel-by-parseval", first["id"])
    assert found["explanation"]["value"] == first["score"]
    shown = porism("similar", "basel-by-parseval", "--with", first["id"], "--index", sample_index).out
    assert "channel words" in shown
    assert "term weight" in shown
    missing = porism("similar", "basel-by-parseval", "--with", "nowhere", "--index", sample_index)
    assert missing.status == 1
    assert "nowhere" in missing.err


def test_two_documents_are_compared_by_similar_terms_too(porism, sample_index, tmp_path) -> None:
    pytest.importorskip("rapidfuzz", reason="the extra 'embeddings' is not installed")
    index = tmp_path / "index"
    shutil.copytree(sample_index, index)
    assert porism("similarities", "near", "--channel", "words", "--index", index, "--quiet").status == 0
    model = tmp_path / "soft.toml"
    model.write_text('model = "words"\n[channels.words]\nsimilarity = "near"\n')
    asked = ("similar", "basel-by-parseval", "--with", "harmonic-series-diverges")
    shown = porism(*asked, "--index", index, "--model", model)
    assert shown.status == 0, shown.err
    assert "exact 'seri'" in shown.out
    assert "fuzzy '" in shown.out


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
