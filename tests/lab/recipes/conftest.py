"""A small collection, topics, judgments and runs, and a recipe over them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from recipe_cases import RECIPE, TOPICS

from porism.runs.run import Run
from porism.search.searcher import IndexSearcher

WORDS = [
    "derivative", "sum", "squares", "group", "order", "element", "integral", "prime", "numbers", "limit", "proof",
    "theorem",
]
FORMULAS = [r"x^2", r"\sum i^2", r"\int x^2 dx", r"\frac{\sin x}{x}", r"a+b", r"e^{x}", r"n!"]
DOCUMENTS = 40


@pytest.fixture
def laboratory(tmp_path: Path) -> Path:
    """A folder with ``notes.jsonl``, ``topics.tsv``, ``qrels.txt``, ``information.csv`` and the runs of two systems."""
    random_ = random.Random(1)
    lines, judged = [], []
    for number in range(DOCUMENTS):
        words = random_.sample(WORDS, 5)
        formulas = random_.sample(FORMULAS, 2)
        body = " ".join(words) + f" ${formulas[0]}$ and ${formulas[1]}$"
        lines.append(json.dumps({"id": f"d{number}", "title": words[0], "body": body}))
        for topic, text in TOPICS.items():
            gain = sum(word in text for word in words) + sum(formula in text for formula in formulas)
            if random_.random() < 0.7:
                judged.append(f"{topic} 0 d{number} {min(3, gain)}")
    (tmp_path / "notes.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "topics.tsv").write_text(
        "".join(f"{topic}\t{text}\n" for topic, text in TOPICS.items()), encoding="utf-8"
    )
    (tmp_path / "qrels.txt").write_text("\n".join(judged) + "\n", encoding="utf-8")
    kinds = ["Proof", "Computation", "Concept"]
    (tmp_path / "information.csv").write_text(
        "Topic,Category\n" + "".join(f"{topic},{kinds[number % 3]}\n" for number, topic in enumerate(TOPICS)),
        encoding="utf-8",
    )
    for name in ("first", "second"):
        rows = []
        for topic in TOPICS:
            found = random_.sample(range(DOCUMENTS), 20)
            rows += [f"{topic} Q0 d{doc} {rank} {100 - rank} {name}" for rank, doc in enumerate(found, 1)]
        (tmp_path / f"{name}.run").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def write(laboratory: Path) -> Callable[..., Path]:
    """``write(text, ("old", "new"), …)`` writes a recipe into the laboratory, with replacements that must apply."""

    def write_recipe(text: str = RECIPE, *changes: tuple[str, str]) -> Path:
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        path = laboratory / "recipe.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write_recipe


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The topics that are searched, a list for each time."""
    topics: list[list[str]] = []
    real = IndexSearcher.run

    def run(self: IndexSearcher, queries: Any, *arguments: Any, **options: Any) -> Run:
        listed = list(queries)
        topics.append([query.id for query in listed])
        return real(self, listed, *arguments, **options)

    monkeypatch.setattr(IndexSearcher, "run", run)
    return topics
