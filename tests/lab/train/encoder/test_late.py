"""Models for late interaction learn their pairs, by either loss, and are encoders of tokens afterwards."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import every_case
from long_forms import LONG_ONLY
from tiny_models import need_models

from porism.errors import ConfigError
from porism.lab.train.encoder.settings import EncoderTraining
from porism.lab.train.pairs.base import Pair

need_models()
pytest.importorskip("sentence_transformers", reason="training needs it: pip install 'porism[neural]'")
pytest.importorskip("datasets", reason="training needs it: pip install 'porism[neural]'")

from tiny_encoders import PAIRS, save_encoder  # noqa: E402

from porism.lab.train.encoder.late import make_late_loss, open_late_encoder  # noqa: E402
from porism.lab.train.encoder.training import train_encoder  # noqa: E402
from porism.vectors.neural.token_encoder import TokenEncoder  # noqa: E402

SMALL = EncoderTraining(
    kind="colbert", dimensions=8, epochs=14, batch=12, learning_rate=1e-2, length=32, precision="float32"
)
NEGATIVE = [
    replace(pair, negatives=(PAIRS[(number + 5) % len(PAIRS)].positive,)) for number, pair in enumerate(PAIRS)
]


def outranked(folder: Path, pairs: list[Pair]) -> float:
    """The share of pairs whose positive has a larger MaxSim than their negative."""
    encoder = TokenEncoder.load(folder, device="cpu")
    texts = encoder.encode_documents([text for pair in pairs for text in (pair.positive, *pair.negatives)])
    right = 0
    for number, query in enumerate(encoder.encode_queries([pair.anchor for pair in pairs])):
        begins = texts.offsets[2 * number : 2 * number + 3]
        first, second = (
            (texts.vectors[start:stop] @ query.vectors.T).max(axis=0).sum() for start, stop in pairwise(begins)
        )
        right += bool(first > second)
    return right / len(pairs)


@LONG_ONLY
@every_case("changes", [
    {}, {"micro_batch": 5}, {"loss": "pairwise"}, {"loss": "pairwise", "micro_batch": 5},
])
def test_models_learn_their_pairs(tmp_path: Path, changes: dict[str, Any]) -> None:
    model = save_encoder(tmp_path / "model")
    report = train_encoder(NEGATIVE, model, tmp_path / "out", replace(SMALL, **changes), device="cpu")
    assert report.last_loss < 0.7 * report.first_loss
    still = replace(SMALL, steps=1, learning_rate=1e-9)
    before = train_encoder(NEGATIVE, model, tmp_path / "none", still, device="cpu")
    assert before.steps == 1
    assert outranked(tmp_path / "out", NEGATIVE) > max(0.9, outranked(tmp_path / "none", NEGATIVE) + 0.1)


def test_the_pairwise_softmax_is_the_cross_entropy_of_positive_and_negative(tmp_path: Path) -> None:
    import torch

    settings = replace(SMALL, loss="pairwise", temperature=0.5)
    network = open_late_encoder(save_encoder(tmp_path / "model"), "cpu", settings, [PAIRS[0].positive])
    network.eval()
    pairs = NEGATIVE[:4]
    columns = [
        network.preprocess([pair.anchor for pair in pairs], task="query", prompt=network.prompts["query"]),
        *(network.preprocess(texts, task="document", prompt=network.prompts["document"])
          for texts in ([pair.positive for pair in pairs], [pair.negatives[0] for pair in pairs])),
    ]
    found = float(make_late_loss(network, settings, None)(columns).detach())
    expected = []
    for pair in pairs:
        query = network.encode_query(pair.anchor, convert_to_numpy=True)
        scores = [
            float((network.encode_document(text, convert_to_numpy=True) @ query.T).max(axis=0).sum()) / 0.5
            for text in (pair.positive, pair.negatives[0])
        ]
        expected.append(float(-torch.log_softmax(torch.tensor(scores), 0)[0]))
    assert found == pytest.approx(np.mean(expected), abs=1e-5)


def test_settings_that_do_not_fit_are_refused() -> None:
    for wrong in (
        {"kind": "dense", "loss": "pairwise"}, {"kind": "colbert", "loss": "triplet"}, {"kind": "sparse"},
        {"kind": "colbert", "matryoshka": (8,)}, {"kind": "colbert", "dimensions": 12},
    ):
        with pytest.raises(ConfigError):
            EncoderTraining(**wrong)  # type: ignore[arg-type]
