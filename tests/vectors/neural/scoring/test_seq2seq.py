"""monoT5 and duoT5 by hand: the first token of the answer, of what the model reads."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from tiny_models import TEXTS, need_models, save_bert, save_mono, save_t5

from porism.errors import ConfigError
from porism.vectors.neural.scoring.base import score_texts
from porism.vectors.neural.scoring.seq2seq import TrueFalse

need_models()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_mono(tmp_path_factory.mktemp("models") / "mono")


def opened(folder: Path, **options: Any) -> TrueFalse:
    return TrueFalse(folder, device="cpu", precision="float32", **options)


def answer(folder: Path, text: str) -> tuple[float, float]:
    """The logits of true and false after a text, by transformers alone."""
    import torch
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    network = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    ids = [*tokenizer(text, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]
    with torch.inference_mode():
        logits = network(
            input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([[network.config.decoder_start_token_id]])
        ).logits[0, 0]
    true, false = (logits[tokenizer.convert_tokens_to_ids(word)].item() for word in ("true", "false"))
    return true, false


def test_one_document_has_the_logit_of_true(folder: Path) -> None:
    true, false = answer(folder, f"Query:prime numberDocument:{TEXTS[1]}Relevant:")
    found = score_texts(opened(folder), [("prime number", TEXTS[1]), ("prime number", TEXTS[0])])
    assert found[0] == pytest.approx(true - false, abs=1e-5)
    assert found[0] != found[1]


def test_two_documents_have_the_probability_of_true(folder: Path) -> None:
    true, false = answer(folder, f"Query:primeDocument0:{TEXTS[1]}Document1:{TEXTS[0]}Relevant:")
    model = opened(folder, documents=2)
    found = score_texts(model, [("prime", TEXTS[1], TEXTS[0]), ("prime", TEXTS[0], TEXTS[1])])
    assert found[0] == pytest.approx(1 / (1 + math.exp(false - true)), abs=1e-5)
    assert found[0] != found[1]
    assert model.digest != opened(folder).digest


def test_long_texts_are_cut_before_the_words_after_them(folder: Path) -> None:
    model = opened(folder, length=60)
    long = " ".join(TEXTS)
    tokens = model.together(model.tokenised([long, long]))
    assert len(tokens.ids) == 60
    assert model._model.tokenizer.decode(tokens.ids).endswith("Relevant:</s>")
    assert "Document:" in model._model.tokenizer.decode(tokens.ids)
    both = opened(folder, documents=2, length=80)
    text = both._model.tokenizer.decode(both.together(both.tokenised([long, long, "a short one"])).ids)
    assert "Document1:a short one" in text
    assert text.endswith("Relevant:</s>")


def test_other_words(tmp_path: Path) -> None:
    other = save_mono(tmp_path / "other", "yes", "no")
    with pytest.raises(ConfigError, match=r"'true' is \d tokens of the model.*first token.*trained with"):
        opened(other)
    assert len(score_texts(opened(other, true="yes", false="no"), [("a", "b")])) == 1
    with pytest.raises(ConfigError, match="begin with the same token"):
        opened(other, true="yes", false="yes")


def test_models_without_such_tokens_or_of_other_kinds(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(ConfigError, match="'true' is"):
        opened(save_t5(tmp_path / "t5"))
    with pytest.raises(ConfigError, match="cannot be loaded"):
        opened(save_bert(tmp_path / "bert"))
    with pytest.raises(ConfigError, match="leave no room"):
        opened(folder, length=10)
    with pytest.raises(ConfigError, match="one or two documents, not 3"):
        opened(folder, documents=3)
