"""Language models learn the texts of a collection: their perplexity on what they have not seen falls."""

from __future__ import annotations

import json
import os
import random
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case
from listed_documents import document
from long_forms import LONG_ONLY
from tiny_models import bpe_tokenizer, need_models, save_bert, word_tokenizer

from porism.analysis.model_text import ModelText
from porism.errors import ConfigError
from porism.lab.train.language.settings import LanguageTraining

need_models()
pytest.importorskip("accelerate", reason="training needs it: pip install 'porism[neural]'")

from porism.lab.train.language.examples import Reading  # noqa: E402
from porism.lab.train.language.sequences import TokenSequence  # noqa: E402
from porism.lab.train.language.training import train_language_model  # noqa: E402

DRAW = random.Random(2)
WORDS = (["finite", "open", "free"], ["group", "ring", "set"], ["limit", "part"])
NOTES = [
    document(str(number), body="\n".join(
        "Every {} {} has a {} $x^f$.".format(*map(DRAW.choice, WORDS)) for _ in range(6)
    ))
    for number in range(60)
]
TEXTS = [one.fields["body"].to_latex() for one in NOTES]
SMALL = LanguageTraining(length=24, batch=8, learning_rate=5e-3, held_out=0.2, precision="float32")


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_bert(tmp_path_factory.mktemp("bert") / "bert", TEXTS, limit=32)


def weights(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


def test_masked_tokens_are_learnt(bert: Path, tmp_path: Path) -> None:
    from transformers import AutoModelForMaskedLM

    report = train_language_model(NOTES, bert, tmp_path / "out", replace(SMALL, epochs=4), device="cpu")
    assert report.after is not None
    assert report.after.perplexity < report.before.perplexity / 3
    assert report.after.following is None
    assert report.last_loss < report.first_loss
    assert report.documents == 60
    assert AutoModelForMaskedLM.from_pretrained(tmp_path / "out").config.hidden_size == 16
    told = json.loads((tmp_path / "out" / "training.json").read_text())
    assert told["after"]["perplexity"] == report.after.perplexity
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


@LONG_ONLY
def test_following_sentences_are_learnt_with_masked_tokens(bert: Path, tmp_path: Path) -> None:
    ordered = [
        document(f"{word}{number}", body=f"Every {word} is a {word}.\nfinite open free {word}")
        for word in ("group", "ring", "set", "limit", "part") for number in range(40)
    ]
    notes: list[str] = []
    report = train_language_model(
        ordered, bert, tmp_path / "out", replace(SMALL, objective="mlm-nsp", epochs=8, learning_rate=1e-2),
        device="cpu", on_warning=notes.append,
    )
    assert report.after is not None
    assert report.after.perplexity < report.before.perplexity / 3
    assert report.after.following is not None
    assert report.after.following > 0.65  # a part of another document that is a second sentence cannot be told
    assert notes == []


@LONG_ONLY
@every_case("changes", [{"micro_batch": 3}, {"accumulate": 2}, {"precision": "bfloat16"}], ids=str)
def test_every_way_of_training_lowers_perplexity(bert: Path, tmp_path: Path, changes: dict[str, Any]) -> None:
    report = train_language_model(NOTES, bert, tmp_path / "out", replace(SMALL, epochs=2, **changes), device="cpu")
    assert report.after is not None
    assert report.after.perplexity < 0.8 * report.before.perplexity


def test_an_interrupted_training_goes_on_where_it_was(bert: Path, tmp_path: Path) -> None:
    def interrupt(done: int, total: int) -> None:
        if done == 5:
            os.kill(os.getpid(), signal.SIGINT)

    settings = replace(SMALL, epochs=2)
    stopped = train_language_model(NOTES, bert, tmp_path / "out", settings, device="cpu", on_progress=interrupt)
    assert (stopped.interrupted, stopped.steps, stopped.after) == (True, 5, None)
    assert not (tmp_path / "out").exists()
    done = train_language_model(NOTES, bert, tmp_path / "out", settings, device="cpu")
    whole = train_language_model(NOTES, bert, tmp_path / "whole", settings, device="cpu")
    assert (done.resumed, done.interrupted) == (5, False)
    assert done.after == whole.after
    first, second = weights(tmp_path / "out"), weights(tmp_path / "whole")
    assert all(bool((first[name] == second[name]).all()) for name in first)


def test_special_tokens_are_where_the_tokenizer_puts_them(bert: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(bert)
    for objective, second in (("mlm", None), ("mlm-nsp", "open ring")):
        reading = Reading(tokenizer, replace(SMALL, objective=objective))
        numbers = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in ("finite group", second or "")]
        found = reading.features(TokenSequence(*numbers))
        assert found["input_ids"] == tokenizer("finite group", second)["input_ids"]
        assert reading.room == 24 - tokenizer.num_special_tokens_to_add(pair=second is not None)
        masks = tokenizer.get_special_tokens_mask(found["input_ids"], already_has_special_tokens=True)
        assert found["special_tokens_mask"] == masks


def test_a_share_of_the_tokens_is_masked_and_never_a_special_one(bert: Path) -> None:
    import torch
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(bert)
    reading = Reading(tokenizer, replace(SMALL, masked=0.3))
    examples = reading.examples(reading.sentences(NOTES, ModelText()), held_out=False)
    batches = reading.measured(examples, 8)
    again = reading.measured(examples, 8)
    wanted = torch.cat([(one["labels"] != -100).flatten() for one in batches])
    assert 0.25 < float(wanted.float().mean()) < 0.34
    hidden = torch.cat([(one["input_ids"] == tokenizer.mask_token_id).flatten() for one in batches])
    assert 0.7 < float(hidden.sum() / wanted.sum()) < 0.9
    for one, other in zip(batches, again, strict=True):
        assert bool((one["input_ids"] == other["input_ids"]).all())
        shown = one["input_ids"] == tokenizer.mask_token_id
        assert bool((one["labels"][shown] != -100).all())
        special = torch.isin(one["labels"], torch.tensor([tokenizer.cls_token_id, tokenizer.pad_token_id]))
        assert not bool(special.any())


def test_what_does_not_fit_is_said(bert: Path, tmp_path: Path) -> None:
    from transformers import RobertaConfig, RobertaForMaskedLM

    roberta = tmp_path / "roberta"
    tokenizer = word_tokenizer(limit=32)
    RobertaForMaskedLM(RobertaConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=34,
    )).save_pretrained(roberta)
    tokenizer.save_pretrained(roberta)
    for model, settings, notes, message in (
        (roberta, replace(SMALL, objective="mlm-nsp"), NOTES, "roberta does not learn which sentence follows"),
        (bert, replace(SMALL, length=33), NOTES, "reads 32 tokens at most, not 33"),
        (bert, SMALL, [], "leave no sequences to train on"),
        (bert, replace(SMALL, held_out=1e-9), NOTES, "leave no sequences held out"),
        (tmp_path, SMALL, NOTES, "the language model cannot be loaded"),
    ):
        with pytest.raises(ConfigError, match=message):
            train_language_model(notes, model, tmp_path / "out", settings, device="cpu")
    with pytest.raises(ConfigError, match="the tokenizer has no mask"):
        Reading(bpe_tokenizer(), SMALL)


def test_an_encoder_gets_what_predicts_tokens(bert: Path, tmp_path: Path) -> None:
    from transformers import AutoModel

    AutoModel.from_pretrained(bert).save_pretrained(tmp_path / "plain")
    word_tokenizer(TEXTS, limit=32).save_pretrained(tmp_path / "plain")
    notes: list[str] = []
    train_language_model(NOTES, tmp_path / "plain", tmp_path / "out", SMALL, device="cpu", on_warning=notes.append)
    assert notes == [
        "The model comes without what predicts tokens, which begins at random; give it enough text."
    ]


def test_without_memory_fewer_sequences_are_taken(
    bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import BertForMaskedLM

    forward, notes = BertForMaskedLM.forward, []

    def limited(self: Any, input_ids: Any, **named: Any) -> Any:
        if self.training and len(input_ids) > 3:
            raise MemoryError
        return forward(self, input_ids, **named)

    monkeypatch.setattr(BertForMaskedLM, "forward", limited)
    report = train_language_model(
        NOTES, bert, tmp_path / "out", replace(SMALL, epochs=2), device="cpu", on_warning=notes.append
    )
    assert [note.rpartition(" ")[2] for note in notes] == ["4.", "2."]
    assert report.after is not None
    assert report.after.perplexity < report.before.perplexity
