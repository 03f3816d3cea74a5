"""``porism train reranker`` leaves a model in the index that ``porism rerank`` opens."""

from __future__ import annotations

import json
import shutil

import pytest
from tiny_models import TEXTS, need_models, save_bert

need_models()
pytest.importorskip("accelerate", reason="training needs it: pip install 'porism[neural]'")

from porism.lab.train.pairs.base import Pair  # noqa: E402
from porism.lab.train.pairs.files import read_pairs, write_pairs  # noqa: E402

SMALL = ("--length", 40, "--device", "cpu", "--precision", "float32", "--learning-rate", 1e-2)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return save_bert(tmp_path_factory.mktemp("model") / "model", TEXTS, limit=64)


def test_a_reranker_is_trained_and_used(porism, sample_index, tmp_path, model):
    index, pairs = tmp_path / "index", tmp_path / "pairs.jsonl"
    shutil.copytree(sample_index, index)
    best = tmp_path / "best.jsonl"
    for file, more in ((pairs, ("--negative-draw",)), (best, ())):
        mined = porism("train", "pairs", file, "--index", index, "--miner", "titles", "--most", 24, "--negatives",
                       "search", "--negative-count", 3, "--quiet", *more)
        assert (mined.status, mined.out) == (0, "")
    drawn, first = read_pairs(pairs), read_pairs(best)
    count = sum(len(pair.negatives) for pair in drawn)
    assert len(drawn) == 24
    assert max(len(pair.negatives) for pair in drawn) == 3
    assert count == sum(len(pair.negatives) for pair in first)
    assert drawn != first
    result = porism("train", "reranker", "own", "--index", index, "--from", model, "--pairs", pairs, "--batch", 4,
                    "--used-negatives", 2, *SMALL)
    assert (result.status, result.err) == (0, "")
    assert "6 of 6 steps, loss " in result.out
    assert f"24 pairs with {count} negatives: " in result.out
    settings = json.loads((index / "models" / "own" / "training.json").read_text())["settings"]
    assert (settings["kind"], settings["negatives"], settings["length"]) == ("cross-encoder", 2, 40)
    (tmp_path / "topics.tsv").write_text("1\tprime number\n")
    run = ("run", "--index", index, "--topics", tmp_path / "topics.tsv", "--output", tmp_path / "first.run", "-k", 5)
    assert porism(*run).status == 0
    again = porism("rerank", tmp_path / "first.run", "--index", index, "--topics", tmp_path / "topics.tsv", "--model",
                   "own", "--set", "device=cpu", "--set", "first_stage=0.5", "--output", tmp_path / "second.run")
    assert again.status == 0
    assert "1 topic re-ranked by cross-encoder" in again.out


def test_a_reranker_needs_negatives(porism, sample_index, tmp_path, model):
    write_pairs(tmp_path / "pairs", [Pair("a", "b")])
    result = porism("train", "reranker", "x", "--index", sample_index, "--from", model, "--pairs", tmp_path / "pairs",
                    "--output", tmp_path / "out")
    assert result.status != 0
    assert "a reranker learns from pairs with negatives" in result.err
    assert not (tmp_path / "out").exists()
