"""Lists that a language model orders: what its answers say, and what it reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st
from tiny_models import TEXTS, need_models, save_causal

from porism.errors import ConfigError
from porism.vectors.neural.scoring.cache import ScoreCache
from porism.vectors.neural.scoring.listwise import ListRanker, read_answer

need_models()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_causal(tmp_path_factory.mktemp("models") / "causal")


@every_case(("answer", "order", "sound"), [
    ("[2] > [1] > [3]", [1, 0, 2], True),
    ("3, 1, 2.", [2, 0, 1], True),
    ("[3] > [3] > [1]", [2, 0, 1], False),
    ("The best is [2].", [1, 0, 2], False),
    ("[4] > [0] > [2] > [1] > [3] > [999999999999]", [1, 0, 2], False),
    ("", [0, 1, 2], False),
    ("no idea", [0, 1, 2], False),
])
def test_answers(answer: str, order: list[int], sound: bool) -> None:
    assert read_answer(answer, 3) == (order, sound)


@given(answer=st.text(alphabet="0123456789[]> ,x"), count=st.integers(1, 12))
def test_no_answer_loses_a_document(answer: str, count: int) -> None:
    assert sorted(read_answer(answer, count)[0]) == list(range(count))


def test_windows_are_answered_as_if_alone(folder: Path) -> None:
    ranker = ListRanker(folder, device="cpu", precision="float32")
    written = ranker._answers([ranker._prompt(("q", TEXTS[:2])), ranker._prompt(("a longer query", TEXTS[:3]))], 12)
    alone = [
        ranker._answers([ranker._prompt(window)], 12)[0] for window in (("q", TEXTS[:2]), ("a longer query", TEXTS[:3]))
    ]
    assert written == alone  # padding changes nothing


def test_orders_are_those_of_the_answers_and_are_kept(folder: Path, tmp_path: Path) -> None:
    ranker = ListRanker(folder, device="cpu", precision="float32")
    calls: list[int] = []

    def answers(prompts: Sequence[Sequence[int]], room: int) -> list[str]:
        calls.append(len(prompts))
        texts = [ranker._model.tokenizer.decode(prompt) for prompt in prompts]
        return ["[3] > [1] > [2]" if "[3] Every" in text else "[2]" for text in texts]

    ranker._answers = answers  # type: ignore[method-assign]
    windows = [("q", TEXTS[:3]), ("q", TEXTS[:2]), ("q", TEXTS[:3])]
    with ScoreCache(tmp_path / "scores") as cache:
        assert ranker.rank(windows, cache) == [[2, 0, 1], [1, 0], [2, 0, 1]]
        assert sum(calls) == 2
        assert ranker.malformed == 1
        assert ranker.rank(windows, cache) == [[2, 0, 1], [1, 0], [2, 0, 1]]
        assert sum(calls) == 2


def test_prompts_fit_and_name_every_document(folder: Path) -> None:
    ranker = ListRanker(folder, device="cpu", length=300)
    documents = tuple(f"{number} {TEXTS[number % 3] * 5}" for number in range(5))
    prompt = ranker._prompt((TEXTS[0] * 9, documents))
    text = ranker._model.tokenizer.decode(prompt)
    assert len(prompt) <= 300 - 8 - 6 * 5
    assert all(f"[{number + 1}] {number}" in text for number in range(5))
    with pytest.raises(ConfigError, match=r"leave no room for 40 documents.*smaller window"):
        ranker._prompt(("q", TEXTS * 10))


def test_models_of_other_kinds(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(ConfigError, match="reads 512 tokens at once, not 600"):
        ListRanker(folder, length=600)
    with pytest.raises(ConfigError):
        ListRanker(tmp_path / "nowhere")
