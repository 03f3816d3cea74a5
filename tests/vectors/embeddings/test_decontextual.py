"""The mean of contextual embeddings, against a plain loop over tokens."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import every_case
from tiny_models import TEXTS, bpe_tokenizer, need_models, save_bert, save_t5

from porism.analysis.words import WordAnalyzer
from porism.errors import ConfigError
from porism.vectors.embeddings.decontextual import Decontextualised, Decontextualizer
from porism.vectors.embeddings.decontextual_texts import SpannedText

need_models()


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_bert(tmp_path_factory.mktemp("models") / "bert", limit=64)


def words_of(text: str, weight: int = 1) -> SpannedText:
    found = [(word.start, word.end, word.term) for word in WordAnalyzer().words(text) if word.term]
    return SpannedText.of_places(text, found, weight)


def plain_means(folder: Path, texts: Sequence[SpannedText], layer: int = -1) -> dict[str, Any]:
    """One text at a time, token by token."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    found: dict[str, list[Any]] = {}
    for text in texts:
        encoded = tokenizer(text.text, return_offsets_mapping=True, return_tensors="pt")
        places = encoded.pop("offset_mapping")[0].tolist()
        with torch.no_grad():
            hidden = model(**encoded, output_hidden_states=True).hidden_states[layer][0].double().numpy()
        for term, start, end in zip(text.terms, text.starts, text.ends, strict=True):
            own = [hidden[at] for at, (low, high) in enumerate(places) if low < end and high > start]
            found.setdefault(term, []).extend([np.mean(own, axis=0)] * text.weight)
    return {term: np.mean(vectors, axis=0) for term, vectors in found.items()}


@every_case("layer", [-1, 0, 1, 2, -3])
def test_vectors_are_the_means_of_contextual_embeddings(bert: Path, layer: int) -> None:
    texts = [words_of(text, weight) for text, weight in zip(TEXTS, (1, 2, 1, 3), strict=True)]
    machine = Decontextualizer(bert, Decontextualised(layer=layer, stride=8), device="cpu")
    machine.add(texts[:3])
    machine.add([*texts[3:], words_of("")])
    terms, vectors, counts = machine.means()
    expected = plain_means(bert, texts, layer)
    assert set(terms) == set(expected)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, [expected[term] for term in terms], atol=2e-6)
    assert counts[terms.index("product")] == 2
    assert counts[terms.index("fraction")] == 3


def test_what_is_read_together_does_not_matter(bert: Path) -> None:
    texts = [words_of(text) for text in TEXTS]
    one, many = (Decontextualizer(bert, Decontextualised(stride=8), device="cpu", batch=size) for size in (1, 10_000))
    one.add(texts)
    for text in reversed(texts):
        many.add([text])
    found = dict(zip(many.means()[0], many.means()[1], strict=True))
    np.testing.assert_allclose(one.means()[1], [found[term] for term in one.means()[0]], atol=2e-6)


def test_each_token_of_a_long_text_counts_once_and_has_context(bert: Path) -> None:
    machine = Decontextualizer(bert, Decontextualised(stride=6, longest_input=12), device="cpu")  # 10 + 2
    windows = list(machine._windows(0, 21))
    assert [(one.start, one.end) for one in windows] == [(0, 10), (4, 14), (8, 18), (11, 21)]
    assert [(one.first, one.last) for one in windows] == [(0, 7), (7, 11), (11, 15), (15, 21)]
    assert [(one.start, one.end) for one in machine._windows(3, 13)] == [(3, 13)]
    text = words_of(" ".join(TEXTS))
    machine.add([text])
    terms, _, counts = machine.means()
    assert dict(zip(terms, counts.tolist(), strict=True)) == {
        term: text.terms.count(term) for term in set(text.terms)
    }


@every_case("length", [9, 10, 11, 12, 13, 14, 25, 400])
def test_windows_cover_a_text(bert: Path, length: int) -> None:
    machine = Decontextualizer(bert, Decontextualised(stride=6, longest_input=12), device="cpu")
    windows = list(machine._windows(5, 5 + length))
    assert [at for one in windows for at in range(one.first, one.last)] == list(range(5, 5 + length))
    assert all(one.start <= one.first < one.last <= one.end and one.end - one.start <= 10 for one in windows)
    for one in windows:  # at least half of what is shared stands on either side, except at the ends of the text
        assert one.first == 5 or one.first - one.start >= 3
        assert one.last == 5 + length or one.end - one.last >= 3


def test_tokens_of_byte_pair_encoding_are_terms_as_they_are(tmp_path: Path) -> None:
    """Where the channel's tokenizer is the model's, each term is one token: the mean is over its occurrences."""
    import torch
    from transformers import AutoModel

    folder = save_t5(tmp_path)
    tokenizer = bpe_tokenizer()
    encoding = tokenizer.backend_tokenizer.encode(TEXTS[3], add_special_tokens=False)
    text = SpannedText.of_places(
        TEXTS[3], [(start, end, token) for (start, end), token in zip(encoding.offsets, encoding.tokens, strict=True)]
    )
    machine = Decontextualizer(folder, Decontextualised(stride=0), device="cpu")
    machine.add([text])
    terms, vectors, _ = machine.means()
    encoder = AutoModel.from_pretrained(folder).get_encoder().eval()
    ids = torch.tensor([[*encoding.ids, *machine._suffix]])
    with torch.no_grad():
        hidden = encoder(input_ids=ids).last_hidden_state[0].numpy()
    for term, vector in zip(terms, vectors, strict=True):
        at = [place for place, token in enumerate(encoding.tokens) if token == term]
        np.testing.assert_allclose(vector, hidden[at].mean(axis=0), atol=2e-6)


def test_rare_terms_and_special_tokens_are_left_out(bert: Path) -> None:
    machine = Decontextualizer(bert, Decontextualised(stride=8, min_count=2), device="cpu")
    text = "prime [SEP] prime [SEP] series"
    machine.add([SpannedText.of_places(text, [(0, 5, "prime"), (6, 11, "[SEP]"), (12, 17, "prime"), (18, 23, "[SEP]"),
                                              (24, 30, "seri")])])
    assert machine.means()[0] == ["prime"]


def test_a_state_is_gone_back_to(bert: Path) -> None:
    texts = [words_of(text) for text in TEXTS]
    whole, first, second = (Decontextualizer(bert, Decontextualised(stride=8), device="cpu") for _ in range(3))
    whole.add(texts[:2])
    whole.add(texts[2:])
    first.add(texts[:2])
    second.restore(first.state())
    second.add(texts[2:])
    assert second.means()[0] == whole.means()[0]
    assert np.array_equal(second.means()[1], whole.means()[1])
    assert second.tokens == whole.tokens


def test_terms_beyond_the_first_rows_have_room(bert: Path) -> None:
    machine = Decontextualizer(bert, Decontextualised(stride=8), device="cpu")
    for start in (0, 3_000, 6_000):
        machine.add([
            SpannedText.of_places("series", [(0, 6, f"term {number}") for number in range(start, start + 3_000)])
        ])
    _, vectors, counts = machine.means()
    assert vectors.shape == (9_000, 16)
    assert counts.sum() == 9_000
    np.testing.assert_allclose(vectors, np.broadcast_to(vectors[0], vectors.shape), atol=1e-6)


def test_words_that_the_model_does_not_know_get_no_vector(bert: Path) -> None:
    machine = Decontextualizer(bert, Decontextualised(stride=8), device="cpu")
    machine.add([SpannedText.of_terms(["series", "Ж"])])
    assert machine.means()[0] == ["series"]


def test_what_cannot_be_is_refused(bert: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the model has no layer 3"):
        Decontextualizer(bert, Decontextualised(layer=3, stride=8), device="cpu")
    with pytest.raises(ConfigError, match="windows of 62 tokens cannot share 64"):
        Decontextualizer(bert, device="cpu")
    with pytest.raises(ConfigError, match="cannot be loaded"):
        Decontextualizer(tmp_path / "none", device="cpu")
    with pytest.raises(ConfigError, match="min_count cannot be 0"):
        Decontextualised(min_count=0)


def test_numbers_that_are_not_finite_are_refused(bert: Path) -> None:
    machine = Decontextualizer(bert, Decontextualised(stride=8), device="cpu")
    machine._network.encoder.layer[1].output.LayerNorm.bias.data[3] = float("nan")
    with pytest.raises(ConfigError, match="not finite"):
        machine.add([words_of(TEXTS[0])])
