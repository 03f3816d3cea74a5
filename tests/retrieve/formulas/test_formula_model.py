"""The settings of formula search: read from mappings, refused with the nearest name, and each model searches."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields, replace
from pathlib import Path

import pytest
from case_tables import every_case
from structure_cases import named, retriever_of, write

from porism.errors import ConfigError
from porism.formula import layout_key, parse
from porism.index import Snapshot
from porism.retrieve.documents.weighted_formulas import Matches
from porism.retrieve.formulas.alignment import AlignmentSettings
from porism.retrieve.formulas.model import (
    DEFAULT_FORMULA_MODEL,
    FORMULA_MODELS,
    MAX_CANDIDATES,
    ChannelSettings,
    FormulaModel,
)
from porism.retrieve.weightings.base import BM25, BM25Plus
from porism.types import Formula

DOCS = (Path(__file__).resolve().parents[3] / "docs" / "reference" / "formula-models.md").read_text(encoding="utf-8")

FIELDS = {setting.name for setting in fields(FormulaModel)}

OTHER = FormulaModel(
    {"approach0": ChannelSettings(0.5, 0.9, 0.4), "tangent-l:edge-pairs": ChannelSettings(2, 1.2, 0.75, 1.0)},
    AlignmentSettings(operator=0.5, width=0.3), 2.0, 50, 1.5, 0.0, ("approach0",),
)


@every_case("model", [*FORMULA_MODELS.values(), OTHER], ids=[*FORMULA_MODELS, "other"])
def test_models_come_back_from_their_mappings(model: FormulaModel) -> None:
    assert set(model.to_dict()) == FIELDS
    assert FormulaModel.from_dict(model.to_dict()) == model


def test_what_is_not_given_is_the_default() -> None:
    assert FormulaModel.from_dict({}) == DEFAULT_FORMULA_MODEL
    assert FormulaModel.from_dict({"alignment": True}) == DEFAULT_FORMULA_MODEL
    assert FormulaModel.from_dict({"alignment": False}) == replace(DEFAULT_FORMULA_MODEL, alignment=None)
    assert DEFAULT_FORMULA_MODEL.alignment is not None
    assert FormulaModel.from_dict({"alignment": {"width": 0}, "candidates": 7}) == replace(
        DEFAULT_FORMULA_MODEL, alignment=replace(DEFAULT_FORMULA_MODEL.alignment, width=0), candidates=7
    )
    given = FormulaModel.from_dict({"channels": {"tokens": {"b": 0.5}}}).channels
    assert dict(given) == {"tokens": ChannelSettings(1.0, 1.2, 0.5, 0.0)}


@every_case(("value", "message", "hint"), [
    ({"candidate": 5}, "there is no setting 'candidate'", "Did you mean candidates?"),
    ({"zzz": 5}, "there is no setting 'zzz'", "Choose from channels, "),
    ({"alignment": {"widht": 1}}, "there is no setting 'alignment.widht'", "Did you mean alignment.width?"),
    ({"channels": {"tokens": {"weigth": 1}}}, "no setting 'channels.tokens.weigth'", "Did you mean channels.tokens."),
    ({"channels": {"aproach0": {}, "tokens": {}}}, "there is no formula channel 'aproach0'", "Did you mean approach0?"),
    ({"channels": {"tangent-l:nothing": {}}}, "nothing", None),
    ({"wildcard_channels": ["tokns"]}, "there is no formula channel 'tokns'", "Did you mean tokens?"),
    ({"channels": {"tokens": 3}}, "'channels.tokens' cannot be 3", "Input should be an object"),
    ({"channels": 3}, "'channels' cannot be 3", None),
    ({"channels": {}}, "needs a channel of positive weight", None),
    ({"channels": {"tokens": {"weight": 0}}}, "needs a channel of positive weight", None),
    ({"candidates": 3.5}, "'candidates' cannot be 3.5", None),
    ({"candidates": True}, "'candidates' cannot be True", None),
    ({"candidates": 0}, "0 candidates", None),
    ({"candidates": MAX_CANDIDATES + 1}, "10001 candidates", None),
    ({"alignment": 1}, "'alignment' cannot be 1", None),
    ({"alignment": {"width": "1"}}, "'alignment.width' cannot be '1'", None),
    ({"alignment": {"width": 2}}, "'width' cannot be 2", None),
    ({"alignment_weight": -1}, "cannot have the weight -1", None),
    ({"alignment_weight": float("nan")}, "cannot have the weight nan", None),
    ({"alignment_weight": 10**400}, "cannot", None),  # versions of pydantic differ in who finds it too large
    ({"value": 11}, "'value' cannot be 11", None),
    ({"renamed_value": -1}, "'renamed_value' cannot be -1", None),
    ({"wildcard_channels": "approach0"}, "'wildcard_channels' cannot be 'approach0'", None),
    ({"wildcard_channels": [1]}, "'wildcard_channels.0' cannot be 1", None),
    ({"channels": {"tokens": {"weight": float("inf")}}}, "cannot have the weight inf", None),
    ({"channels": {"tokens": {"weight": 1e7}}}, "cannot have the weight", None),
    ({"channels": {"tokens": {"k1": -1}}}, "k1 = -1", None),
    ({"channels": {"tokens": {"b": 1.5}}}, "b = 1.5", None),
    ({"channels": {"tokens": {"delta": -1}}}, "delta = -1", None),
])
def test_wrong_parameters_are_reported(value: dict[str, object], message: str, hint: str | None) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)) as raised:
        FormulaModel.from_dict(value)
    if hint is not None:
        assert raised.value.hint is not None
        assert raised.value.hint.startswith(hint)


def test_a_delta_makes_bm25_plus() -> None:
    assert ChannelSettings(1.0, 0.9, 0.4).lexical.weighting == BM25(0.9, 0.4)
    assert ChannelSettings(1.0, 0.9, 0.4, 0.5).lexical.weighting == BM25Plus(0.9, 0.4, 0.5)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return write(
        tmp_path_factory.mktemp("models") / "index",
        {"a": ["(a+b)^2", "x+y"], "b": [r"\frac{x}{y}", "(a+b)^3"], "c": ["e^{i\\pi}+1=0", "a^2+b^2"]},
    )


@every_case("name", list(FORMULA_MODELS))
def test_every_model_searches_and_explains_what_it_finds(name: str, snapshot: Snapshot) -> None:
    retriever = retriever_of(snapshot, FORMULA_MODELS[name])
    found = named(snapshot, retriever.search([Formula("(a+b)^2")], 10)[0])
    assert layout_key(parse(Formula("(a+b)^2"))) in [key for key, score in found if score == found[0][1]]
    for key, score in found:
        assert retriever.match(Formula("(a+b)^2"), key).score == score


@every_case("name", list(FORMULA_MODELS))
def test_symbols_that_no_formula_has_do_not_hide_the_rest(name: str, snapshot: Snapshot) -> None:
    if name not in ("subtrees", "values"):  # of which no term is left
        found = named(snapshot, retriever_of(snapshot, FORMULA_MODELS[name]).search([Formula(r"(a+\zeta)^2")], 10)[0])
        assert found
        assert 0 < found[0][1] < float("inf")


# --- what is documented ---

def test_the_example_in_the_documentation_is_a_model() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", DOCS, flags=re.S)
    model = FormulaModel.from_dict(tomllib.loads(example))
    assert model != DEFAULT_FORMULA_MODEL
    assert model.alignment is not None


def table_after(heading: str) -> dict[str, str]:
    """The first two columns of the table in a section."""
    section = DOCS.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", section, flags=re.M)
    return {name: default.strip() for name, default in rows}


OF_DOCUMENTS = {
    "weighting", "parameters", "similarity", "normalised", "softness", "field_weights", "query_field_weights", "power",
}
"""Settings of a channel that search of documents has; docs/how-to/match-similar-terms.md and
docs/reference/weightings.md explain them."""


@every_case("given", [
    {"similarity": "words"}, {"weighting": "ltc.ltc"}, {"field_weights": {"title": 2.0}},
])
def test_formula_models_have_no_settings_of_documents(given: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="the channel 'tokens' of a formula model cannot have this"):
        FormulaModel.from_dict({"channels": {"tokens": given}})


@every_case(("heading", "defaults"), [
    ("Parameters of the alignment", AlignmentSettings()),
    ("Parameters of a channel", ChannelSettings()),
    ("Parameters of matches in documents", Matches()),
])
def test_every_parameter_is_documented_with_its_default(heading: str, defaults: object) -> None:
    values = {
        field.name: getattr(defaults, field.name) for field in fields(defaults)  # type: ignore[arg-type]
        if not (isinstance(defaults, ChannelSettings) and field.name in OF_DOCUMENTS)
    }
    assert table_after(heading) == {
        name: value if isinstance(value, str) else f"{value:g}" for name, value in values.items()
    }


def test_every_parameter_of_the_model_is_documented_with_its_default() -> None:
    documented = table_after("Parameters of the model")
    assert set(documented) == FIELDS
    for name in ("alignment_weight", "candidates", "value", "renamed_value"):
        assert documented[name] == f"{getattr(DEFAULT_FORMULA_MODEL, name):g}"
    for name, channel in DEFAULT_FORMULA_MODEL.channels.items():
        assert f"`{name}` {channel.weight:g}" in documented["channels"]
    assert documented["wildcard_channels"] == ", ".join(f"`{name}`" for name in DEFAULT_FORMULA_MODEL.wildcard_channels)
    for name in FORMULA_MODELS:
        assert f"`{name}`" in DOCS
