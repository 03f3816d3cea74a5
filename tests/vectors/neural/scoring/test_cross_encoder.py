"""Cross-encoders give what sentence-transformers gives, in batches over the whole job, and nothing twice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from tiny_models import TEXTS, need_encoders, save_bert, save_cross_encoder

from porism.errors import ConfigError
from porism.vectors.neural.encoder_settings import has_architecture
from porism.vectors.neural.scoring.base import Cost, ModelTokens, score_texts
from porism.vectors.neural.scoring.cache import ScoreCache
from porism.vectors.neural.scoring.cross_encoder import CrossEncoder

need_encoders()

PAIRS = [(query, document) for query in ("prime number", "limit of a series", TEXTS[3]) for document in TEXTS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_cross_encoder(tmp_path_factory.mktemp("models") / "cross")


def opened(folder: Path, **options: object) -> CrossEncoder:
    return CrossEncoder(folder, device="cpu", precision="float32", **options)  # type: ignore[arg-type]


def test_scores_are_those_of_sentence_transformers(folder: Path) -> None:
    import torch
    from sentence_transformers import CrossEncoder as Reference

    expected = Reference(str(folder), device="cpu").predict(PAIRS, activation_fn=torch.nn.Identity())
    assert score_texts(opened(folder), PAIRS) == pytest.approx(expected, abs=1e-5)
    saved = folder.with_name("saved")
    Reference(str(folder), device="cpu").save(str(saved))
    assert score_texts(opened(saved), PAIRS) == pytest.approx(expected, abs=1e-5)
    assert has_architecture(saved, "ForSequenceClassification")


def test_two_classes_are_one_logit(tmp_path: Path) -> None:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    two = save_cross_encoder(tmp_path / "two", labels=2)
    tokens = AutoTokenizer.from_pretrained(two)(*PAIRS[0], return_tensors="pt")
    logits = AutoModelForSequenceClassification.from_pretrained(two).eval()(**tokens).logits[0].tolist()
    assert score_texts(opened(two), PAIRS[:1]) == pytest.approx([logits[1] - logits[0]], abs=1e-5)


def test_two_documents_are_read_one_after_the_other(folder: Path) -> None:
    model = opened(folder, documents=2)
    tokenizer = model._model.tokenizer
    read = model.together(model.tokenised(["prime number", TEXTS[0], TEXTS[1]]))
    assert tokenizer.decode(read.ids).count("[SEP]") == 3
    assert read.ids[0] == tokenizer.cls_token_id
    query = len(tokenizer("prime number", add_special_tokens=False)["input_ids"])
    assert read.segments == [0] * (query + 2) + [1] * (len(read.ids) - query - 2)
    one_way, other_way = score_texts(model, [("prime", TEXTS[0], TEXTS[1]), ("prime", TEXTS[1], TEXTS[0])])
    assert 0 < one_way < 1
    assert 0 < other_way < 1
    assert one_way != other_way


def test_long_texts_are_cut_and_both_are_read(folder: Path) -> None:
    model = opened(folder, length=20)
    long = " ".join(["prime"] * 100)
    read = model.together(model.tokenised([long, long]))
    assert len(read.ids) == 20
    assert model.read_lengths((long, long))[0][1] > 90
    counts = model.read_lengths((long, long))
    assert counts[0][0] + counts[1][0] == 17
    assert counts[0][0] == 8
    assert model.read_lengths((long, "a"))[0][0] == 16  # a short document leaves room
    both = opened(folder, length=20, documents=2)
    assert len(both.together(both.tokenised(["a", long, long])).ids) == 19  # 15 tokens for two documents, 7 each


@every_case(("counts", "read"), [
    ([4, 5, 6], [4, 5, 6]), ([4, 3, 50], [4, 3, 8]), ([4, 50, 3], [4, 8, 3]), ([4, 50, 50], [4, 5, 5]),
    ([4, 5, 50], [4, 5, 6]), ([50, 50, 50], [7, 4, 4]), ([50, 1, 2], [12, 1, 2]),
])
def test_what_a_short_document_leaves_is_the_others(folder: Path, counts: list[int], read: list[int]) -> None:
    model = opened(folder, length=19, documents=2)
    assert model.room == 15
    assert model.shares(counts) == read


def test_pairs_differ_from_sentence_transformers_by_what_is_cut_alone(folder: Path) -> None:
    import torch
    from sentence_transformers import CrossEncoder as Reference

    reference = Reference(str(folder), device="cpu", max_length=40)

    def expected(query: str, first: str, second: str) -> float:
        pair = (query, f"{first} [SEP] {second}")
        return float(reference.predict([pair], activation_fn=torch.nn.Sigmoid(), show_progress_bar=False)[0])

    model = opened(folder, documents=2, length=40)
    short = ("prime", "a maximum", "an equation")
    assert score_texts(model, [short])[0] == pytest.approx(expected(*short), abs=1e-5)
    words = " ".join(["maximum", "interval", "number", "factor"] * 6)
    long, other = f"a prime {words}", f"a function {words}"
    # The reference cuts the end of both documents as if they were one: of the second it reads nothing.
    assert expected("prime", long * 2, long) == expected("prime", long * 2, other)
    one, two = score_texts(model, [("prime", long * 2, long), ("prime", long * 2, other)])
    assert abs(one - two) > 1e-4
    # Where it reads what we read, the scores are the same.
    read = [count for count, _ in model.read_lengths(("prime", long, other))]
    cut = [" ".join(text.split()[:count]) for text, count in zip((long, other), read[1:], strict=True)]
    assert len(cut[0].split()) == len(cut[1].split()) < len(long.split())
    assert model.read_lengths(("prime", *cut)) == [(count, count) for count in read]  # a word is a token here
    assert score_texts(model, [("prime", long, other)])[0] == pytest.approx(expected("prime", *cut), abs=1e-5)


def test_equal_inputs_are_read_once_and_scores_are_kept(folder: Path, tmp_path: Path) -> None:
    model = opened(folder)
    seen: list[int] = []
    forward = model.forward

    def counting(batch: Sequence[ModelTokens]) -> np.ndarray:
        seen.append(len(batch))
        return forward(batch)

    model.forward = counting  # type: ignore[method-assign]
    costs: list[Cost] = []
    with ScoreCache(tmp_path / "scores") as cache:
        first = score_texts(model, [*PAIRS, *PAIRS], cache=cache, on_cost=costs.append)
        assert sum(seen) == len(PAIRS)
        assert first[: len(PAIRS)].tolist() == first[len(PAIRS) :].tolist()
        again = score_texts(model, [*PAIRS, ("new", "text")], cache=cache, on_cost=costs.append)
        assert sum(seen) == len(PAIRS) + 1
        assert again[:-1].tolist() == first[: len(PAIRS)].tolist()
        score_texts(opened(folder, length=30), PAIRS[:1], cache=cache, on_cost=costs.append)
    assert [(cost.inputs, cost.cached) for cost in costs] == [(12, 0), (13, 12), (1, 0)]
    assert costs[0].tokens > 100
    assert costs[0].seconds > 0


def test_what_was_scored_before_an_interruption_is_not_scored_again(folder: Path, tmp_path: Path) -> None:
    model = opened(folder, batch_tokens=40)
    forward = model.forward
    calls: list[int] = []

    def interrupted(batch: Sequence[ModelTokens]) -> np.ndarray:
        if len(calls) == 5:
            raise KeyboardInterrupt
        calls.append(len(batch))
        return forward(batch)

    model.forward = interrupted  # type: ignore[method-assign]
    with ScoreCache(tmp_path / "scores") as cache:
        with pytest.raises(KeyboardInterrupt):
            score_texts(model, PAIRS, cache=cache)
        assert len(cache) == sum(calls) > 0
        model.forward = forward  # type: ignore[method-assign]
        costs: list[Cost] = []
        found = score_texts(model, PAIRS, cache=cache, on_cost=costs.append)
    assert costs[0].cached == sum(calls)
    assert found == pytest.approx(score_texts(opened(folder), PAIRS), abs=1e-5)


def test_lack_of_memory_halves_the_batch(folder: Path) -> None:
    notes: list[str] = []
    model = opened(folder, on_warning=notes.append)
    forward = model.forward

    def small(batch: Sequence[ModelTokens]) -> np.ndarray:
        if len(batch) > 2:
            raise RuntimeError("CUDA out of memory")
        return forward(batch)

    model.forward = small  # type: ignore[method-assign]
    assert score_texts(model, PAIRS) == pytest.approx(score_texts(opened(folder), PAIRS), abs=1e-5)
    assert notes


def test_progress_and_nothing_to_do(folder: Path) -> None:
    steps: list[tuple[int, int]] = []
    score_texts(opened(folder), PAIRS, on_progress=lambda done, total: steps.append((done, total)))
    assert steps[-1] == (12, 12)
    assert score_texts(opened(folder), []).tolist() == []


def test_scores_that_are_no_numbers_are_refused(folder: Path) -> None:
    model = opened(folder)
    model.forward = lambda batch: np.full(len(batch), np.nan)  # type: ignore[method-assign]
    with pytest.raises(ConfigError, match="not a finite number"):
        score_texts(model, PAIRS)


def test_models_of_other_kinds_are_refused(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"lack 4 weights .*classifier.*random numbers.*cross-encoder"):
        opened(save_bert(tmp_path / "language"))
    with pytest.raises(ConfigError, match="tells 3 classes apart"):
        opened(save_cross_encoder(tmp_path / "three", labels=3))
    with pytest.raises(ConfigError, match="reads 64 tokens at once, not 100"):
        opened(folder, length=100)
    with pytest.raises(ConfigError, match="4 tokens leave no room"):
        opened(folder, length=4)
    with pytest.raises(ConfigError, match="one or two documents, not 3"):
        opened(folder, documents=3)
    with pytest.raises(ConfigError, match="cannot compute in 'float8'"):
        CrossEncoder(folder, precision="float8")  # type: ignore[arg-type]
    assert not has_architecture(tmp_path / "language", "ForSequenceClassification")


def test_int8_is_near(folder: Path) -> None:
    exact = score_texts(opened(folder), PAIRS)
    near = score_texts(CrossEncoder(folder, device="cpu", precision="int8"), PAIRS)
    assert np.corrcoef(exact, near)[0, 1] > 0.9
