"""A tokenizer with tokens of LaTeX reads formulas by them, and all else as before."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import every_case
from tiny_models import TEXTS, bpe_tokenizer, need_models, save_bart, save_bert, save_t5, word_tokenizer

from porism.analysis.tokenizers.tokenizer import MathTokenizer
from porism.errors import ConfigError
from porism.vectors.neural.extension import extend_model, extend_tokenizer, latex_tokens

need_models()

NEW = [r"\frac{", "^{", "_{", r"\alpha", r"\sum_{", "x", "frac", "and", r"\alpha"]
ADDED = ("[MATH]", "[/MATH]", r"\frac{", "^{", "_{", r"\alpha", r"\sum_{")
PROSE = [*TEXTS[:3], "No frac, no alpha; sum and MATH: 1/2 + x = Möbius' ∑ …", "  two  spaces\n\tand lines "]
FORMULA = r"Let [MATH]\frac{a}{b} + x^{2}[/MATH] be a fraction of [MATH]\alpha_{1}[/MATH]."


@every_case("make", [bpe_tokenizer, word_tokenizer])
def test_text_is_read_as_before_and_numbers_stay(make: Callable[..., Any]) -> None:
    before = make()
    after = deepcopy(before)
    extension = extend_tokenizer(after, NEW)
    assert extension.tokens == ADDED
    assert (extension.first, extension.left_out) == (len(before), 3)
    assert after.convert_tokens_to_ids(list(ADDED)) == list(range(len(before), len(before) + len(ADDED)))
    assert {token: after.get_vocab()[token] for token in before.get_vocab()} == before.get_vocab()
    for text in PROSE:
        assert after(text)["input_ids"] == before(text)["input_ids"]


def test_formulas_are_read_by_the_new_tokens_and_written_back() -> None:
    tokenizer = bpe_tokenizer()
    extend_tokenizer(tokenizer, NEW)
    found = tokenizer.tokenize(FORMULA)
    assert [token for token in found if token in ADDED] == [
        "[MATH]", r"\frac{", "^{", "[/MATH]", "[MATH]", r"\alpha", "_{", "[/MATH]"
    ]
    for text in (FORMULA, *PROSE):
        numbers = tokenizer(text, add_special_tokens=False)["input_ids"]
        assert tokenizer.decode(numbers, skip_special_tokens=True, clean_up_tokenization_spaces=False) == text


def test_extending_again_adds_nothing() -> None:
    tokenizer = bpe_tokenizer()
    extend_tokenizer(tokenizer, NEW)
    assert extend_tokenizer(tokenizer, NEW).tokens == ()


@every_case("save", [save_bert, save_t5, save_bart])
@every_case("initial", ["mean", "random"])
def test_a_saved_model_opens_and_reads_text_as_before(
    save: Callable[[Path], Path], initial: Any, tmp_path: Path
) -> None:
    import torch
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    source, target = save(tmp_path / "before"), tmp_path / "after"
    extension = extend_model(source, NEW, target, initial=initial)
    assert AutoConfig.from_pretrained(target).architectures == AutoConfig.from_pretrained(source).architectures
    old, new = AutoModel.from_pretrained(source), AutoModel.from_pretrained(target)
    tokenizer, before = AutoTokenizer.from_pretrained(target), AutoTokenizer.from_pretrained(source)
    rows, first = new.get_input_embeddings().weight.detach().numpy(), extension.first
    assert len(rows) == len(tokenizer) == first + len(ADDED)
    assert np.array_equal(rows[:first], old.get_input_embeddings().weight.detach().numpy()[:first])
    at = tokenizer.convert_tokens_to_ids(r"\frac{")
    parts = before(r"\frac{", add_special_tokens=False)["input_ids"]
    special = set(before.all_special_ids)
    parts = [number for number in parts if number not in special]
    mean = rows[parts].mean(axis=0, dtype=np.float64)
    assert np.allclose(rows[at], mean, atol=1e-7) == (initial == "mean")
    assert np.isfinite(rows).all()
    assert rows[first:].std() > 0
    for text in PROSE[:2]:
        ids = tokenizer(text, return_tensors="pt")["input_ids"]
        assert torch.equal(ids, before(text, return_tensors="pt")["input_ids"])
        with torch.no_grad():
            more = {"decoder_input_ids": ids[:, :1]} if old.config.is_encoder_decoder else {}
            assert torch.equal(
                new.eval()(input_ids=ids, **more)[0], old.eval()(input_ids=ids, **more)[0]
            )


def test_the_same_seed_gives_the_same_rows(tmp_path: Path) -> None:
    from transformers import AutoModel

    source = save_bert(tmp_path / "before")
    rows = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        extend_model(source, NEW, tmp_path / name, initial="random", seed=seed)
        rows.append(AutoModel.from_pretrained(tmp_path / name).get_input_embeddings().weight.detach().numpy())
    assert np.array_equal(rows[0], rows[1])
    assert not np.array_equal(rows[0], rows[2])


def test_spare_rows_of_a_model_are_used(tmp_path: Path) -> None:
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    source = save_bert(tmp_path / "before")
    model = AutoModelForMaskedLM.from_pretrained(source)
    model.resize_token_embeddings(len(AutoTokenizer.from_pretrained(source)) + 20)
    model.save_pretrained(source)
    extension = extend_model(source, NEW, tmp_path / "after")
    rows = AutoModelForMaskedLM.from_pretrained(tmp_path / "after").get_input_embeddings().weight
    assert len(rows) == extension.first + 20


def test_output_weights_of_their_own_are_extended_too(tmp_path: Path) -> None:
    import torch
    from transformers import AutoModelForMaskedLM, AutoTokenizer, BertConfig, BertForMaskedLM

    source = save_bert(tmp_path / "before")
    config = BertConfig.from_pretrained(source, tie_word_embeddings=False)
    torch.manual_seed(3)
    BertForMaskedLM(config).save_pretrained(source)
    before = AutoTokenizer.from_pretrained(source)
    extension = extend_model(source, NEW, tmp_path / "after")
    weight = AutoModelForMaskedLM.from_pretrained(tmp_path / "after").get_output_embeddings().weight.detach().numpy()
    parts = [one for one in before(r"\alpha", add_special_tokens=False)["input_ids"] if one > 4]
    at = extension.first + extension.tokens.index(r"\alpha")
    np.testing.assert_allclose(weight[at], weight[parts].mean(axis=0), atol=1e-7)


def test_tokens_of_a_tokenizer_of_latex_are_read_as_they_stand_in_text() -> None:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    trained.decoder = decoders.ByteLevel()
    trained.train_from_iterator([r"\frac{a}", r"\frac{b}"] * 9, trainers.BpeTrainer(show_progress=False))
    found = latex_tokens(MathTokenizer(trained, "latex"))
    assert set(r"\frac{ab}") < set(found)
    assert r"\frac{" in found
    assert all(token == token.strip() for token in found)


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    source = save_bert(tmp_path / "before")
    with pytest.raises(ConfigError, match="not an empty folder"):
        extend_model(source, NEW, source)
    with pytest.raises(ConfigError, match="no token is new"):
        extend_model(source, ["x", "and"], tmp_path / "after", marks=False)
    with pytest.raises(ConfigError, match="cannot begin as 'zero'"):
        extend_model(source, NEW, tmp_path / "after", initial="zero")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="cannot be loaded"):
        extend_model(tmp_path / "none", NEW, tmp_path / "after")
