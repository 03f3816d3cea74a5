"""Kinds of rerankers: what each makes of plain settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case

from porism.lab.pipeline import RetrieverReranker
from porism.lab.pipeline.rerankers.plain import PlainKind
from porism.lab.pipeline.rerankers.registry import RERANKERS, reranker_kind
from porism.lab.pipeline.rerankers.retriever import RetrieverRerankerKind
from porism.search.index import open_index
from porism.settings import SettingError, Settings


@dataclass(frozen=True, slots=True)
class Own(Settings):
    """Settings of a kind."""

    power: float = 1.0
    tuned_on: tuple[str, ...] = ()


OWN: PlainKind[Any] = PlainKind("own", Own, lambda index, settings, depth: (index, settings, depth))


def test_the_kind_of_models_makes_a_reranker_by_a_model(sample_index: Path) -> None:
    (kind,) = (kind for kind in RERANKERS.values() if isinstance(kind, RetrieverRerankerKind))
    with open_index(sample_index) as index:
        reranker = kind.make(kind.settings("words", {}, Path()), 7, index)
        assert isinstance(reranker, RetrieverReranker)
        assert reranker.depth == 7
    assert kind.channels(kind.settings("words", {}, Path())) == ("words",)
    with pytest.raises(SettingError, match="no kind of reranker"):
        reranker_kind("none")


def test_a_model_of_search_counts_in_a_sum_with_the_first_stage(sample_index: Path) -> None:
    kind = RERANKERS["retriever"]
    settings = kind.settings("words", {"first_stage": 0.25}, Path())
    assert settings["first_stage"] == 0.25
    assert kind.settings("words", {}, Path())["first_stage"] == 0.0
    assert "first_stage" in kind.names("words", {}, Path())
    assert kind.channels(settings) == ("words",)
    assert "first_stage" not in kind.stored(settings, ())  # such a file is that of a model, which can search
    with open_index(sample_index) as index:
        assert kind.make(settings, 7, index).first_stage == 0.25  # type: ignore[attr-defined]
    for wrong in (-0.1, 1.5, "much"):
        with pytest.raises(SettingError, match="first_stage"):
            kind.settings("words", {"first_stage": wrong}, Path())
        with pytest.raises(SettingError, match="first_stage"):
            kind.check({**settings, "first_stage": wrong})


def test_settings_of_a_plain_kind() -> None:
    assert OWN.names("default", {}, Path()) == ["power", "tuned_on"]
    settings = OWN.settings("default", {"power": 2}, Path())
    assert settings["power"] == 2.0
    assert OWN.make(settings, 5, "index") == ("index", Own(2.0), 5)  # type: ignore[arg-type, comparison-overlap]
    assert OWN.channels(settings) == ()
    tuned = OWN.stored({**settings, "tuned_on": ["a"]}, ("a", "b"))
    assert tuned["tuned_on"] == ["a", "b"]
    OWN.check(tuned)


@every_case(("model", "given", "message"), [
    ("words", {}, "has no model"), ("default", {"powr": 1}, "powr"), ("default", {"power": "much"}, "power"),
])
def test_wrong_settings_of_a_plain_kind_are_refused(model: str, given: dict[str, object], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        OWN.settings(model, given, Path())


def test_broken_settings_are_found_by_the_check() -> None:
    with pytest.raises(SettingError, match="powr"):
        OWN.check({"powr": 1.0})
