"""A sequence-to-sequence model writes queries: so many, reproducibly, within its limits."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_models import TEXTS, need_models, save_bart, save_bert

from porism.errors import ConfigError
from porism.lab.doc2query import ExpansionSettings, QueryGenerator

need_models()


def test_sampling_gives_so_many_queries_and_the_same_ones_again(t5: Path) -> None:
    settings = ExpansionSettings(queries=3, max_query_tokens=6)
    found = QueryGenerator(t5, settings).generate(TEXTS[:2])
    assert [len(queries) for queries in found] == [3, 3]
    assert len({query for queries in found for query in queries}) > 3
    assert all(query == " ".join(query.split()) for queries in found for query in queries)
    assert QueryGenerator(t5, settings).generate(TEXTS[:2]) == found
    assert QueryGenerator(t5, ExpansionSettings(queries=3, max_query_tokens=6, seed=2)).generate(TEXTS[:2]) != found


def test_beams_are_the_most_likely_outputs(t5: Path) -> None:
    """The best of as many beams as there are tokens is, for outputs of one token, the most likely token."""
    import torch
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    generator = QueryGenerator(t5, ExpansionSettings(queries=2, beams=2, max_query_tokens=1))
    tokenizer, model = AutoTokenizer.from_pretrained(t5), AutoModelForSeq2SeqLM.from_pretrained(t5).eval()
    inputs = tokenizer(TEXTS[1], truncation=True, max_length=64, return_tensors="pt")
    start = torch.tensor([[model.config.decoder_start_token_id]])
    with torch.no_grad():
        likeliest = model(input_ids=inputs["input_ids"], decoder_input_ids=start).logits[0, -1].topk(2).indices
    expected = [" ".join(tokenizer.decode([token], skip_special_tokens=True).split()) for token in likeliest.tolist()]
    assert generator.generate([TEXTS[1]]) == [[query for query in expected if query]]


def test_sampling_leaves_the_random_numbers_of_others_alone(t5: Path) -> None:
    import torch

    generator = QueryGenerator(t5, ExpansionSettings(queries=1, max_query_tokens=2))
    torch.manual_seed(5)
    before = torch.rand(1)
    torch.manual_seed(5)
    generator.generate(["a text"])
    assert torch.rand(1) == before


def test_long_texts_are_cut_at_the_limit_of_the_model(t5: Path) -> None:
    beams = ExpansionSettings(queries=1, beams=1, max_query_tokens=4)
    generator = QueryGenerator(t5, beams)
    assert generator.max_input_tokens == 64
    text = "series " * 500
    assert generator.generate([text]) == generator.generate([text + "and something else"])
    assert QueryGenerator(t5, ExpansionSettings(max_input_tokens=10)).max_input_tokens == 10
    assert QueryGenerator(t5, ExpansionSettings(max_input_tokens=1000)).max_input_tokens == 64


def test_what_follows_the_text_in_a_template_is_read_of_long_texts_too(t5: Path) -> None:
    generator = QueryGenerator(t5, ExpansionSettings(template="Ask: {text} What for?"))
    filled = generator._filled("series " * 500)
    assert filled.startswith("Ask: series series")
    assert filled.endswith("series What for?")
    assert len(generator._tokenizer(filled)["input_ids"]) <= 64
    assert generator._filled("short") == "Ask: short What for?"


def test_a_template_that_leaves_no_room_is_refused(t5: Path) -> None:
    with pytest.raises(ConfigError, match="leaves no room"):
        QueryGenerator(t5, ExpansionSettings(template="many words of it " * 20 + "{text}"))


def test_other_families_of_models_work(tmp_path: Path) -> None:
    generator = QueryGenerator(save_bart(tmp_path), ExpansionSettings(queries=2, max_query_tokens=5))
    assert generator.max_input_tokens == 32
    assert [len(queries) for queries in generator.generate([TEXTS[0], "word " * 100])] == [2, 2]
    assert generator.generate([]) == []


def test_models_of_other_kinds_and_missing_ones_are_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nowhere: the tokenizer cannot be loaded"):
        QueryGenerator(tmp_path / "nowhere")
    with pytest.raises(ConfigError, match=r"the model cannot be loaded .*BertConfig"):
        QueryGenerator(save_bert(tmp_path / "bert"))
    with pytest.raises(ConfigError, match="the device 'gramophone' cannot be used"):
        QueryGenerator(tmp_path, device="gramophone")


def test_settings_out_of_range_are_refused() -> None:
    for wrong in (
        {"queries": 0}, {"beams": 3, "queries": 4}, {"temperature": 0.0}, {"top_p": 1.5}, {"template": "no place"},
        {"max_query_tokens": 0}, {"seed": -1},
    ):
        with pytest.raises(ConfigError):
            ExpansionSettings(**wrong)
