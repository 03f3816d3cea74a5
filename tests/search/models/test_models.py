"""Search models by name, from mappings and from files; what a run says of the model that made it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from case_tables import every_case

from porism.errors import ConfigError
from porism.retrieve.documents.links import Links
from porism.retrieve.documents.model import DEFAULT_MODEL, SearchModel
from porism.retrieve.documents.named_models import SEARCH_MODELS
from porism.retrieve.documents.weighted_formulas import Matches
from porism.retrieve.feedback.settings import Feedback
from porism.retrieve.lexical.channels import Zone
from porism.retrieve.lexical.settings import ChannelSettings
from porism.search.index import Index, make_query, open_index
from porism.search.models.models import model_from, read_model
from porism.settings import SettingError
from porism.types import Query

OTHER = SearchModel(
    {"words": ChannelSettings(0.5, 0.9, 0.4, 1.0), "tangent-l:edge-pairs": ChannelSettings()},
    {"title": 3.0}, {"title": 2.0}, {"v": Zone(0.25, {"title": 1.0})}, 0.5, 0.6, 1.0, 0.0,
    Feedback(0.3, 5, 7), Matches(0.1, 0.5, 10, 3, 0.5, "best"), Links(0.2, "thread", ("links",)), 50, ("T.1",),
)


@every_case("model", [*SEARCH_MODELS.values(), OTHER], ids=[*SEARCH_MODELS, "other"])
def test_models_come_back_from_their_mappings(model: SearchModel) -> None:
    assert SearchModel.from_dict(model.to_dict()) == model
    assert SearchModel.from_dict(json.loads(json.dumps(model.to_dict()))) == model


def test_what_is_not_given_is_that_of_the_base() -> None:
    assert SearchModel.from_dict({}) == DEFAULT_MODEL
    changed = SearchModel.from_dict({"channels": {"words": {"weight": 2}}, "feedback": {"terms": 5}, "candidates": 10})
    assert changed == replace(
        DEFAULT_MODEL, channels={"words": ChannelSettings(2.0)}, feedback=replace(DEFAULT_MODEL.feedback, terms=5),
        candidates=10,
    )
    assert SearchModel.from_dict({"candidates": 10}, OTHER) == replace(OTHER, candidates=10)
    assert model_from({"model": "words", "candidates": 10}) == replace(SEARCH_MODELS["words"], candidates=10)
    assert model_from({"model": "paths", "candidates": 10}, formulas=True).candidates == 10


@every_case(("given", "path", "message"), [
    ({"canidates": 1}, ("canidates",), "there is no setting 'canidates'. Did you mean candidates?"),
    ({"feedback": {"term": 1}}, ("feedback", "term"), "Did you mean feedback.terms?"),
    ({"channels": {"word": {}}}, ("channels", "word"), "there is no channel 'word'. Did you mean words?"),
    ({"channels": {"words": {"k": 1}}}, ("channels", "words", "k"), "Did you mean channels.words.k1?"),
    ({"channels": {"tangent-l:no": {}}}, ("channels", "tangent-l:no"), "no"),
    ({"channels": {}}, (), "needs a channel of positive weight"),
    ({"matches": {"combine": "all"}}, ("matches", "combine"), "Input should be 'sum' or 'best'"),
    ({"links": {"weight": -1}}, ("links",), "links: links cannot have the weight -1"),
    ({"feedback": 3}, ("feedback",), "the setting 'feedback' cannot be 3"),
    ({"model": "plane"}, ("model",), "there is no model 'plane'. Did you mean plain?"),
    ({"model": 3}, ("model",), "the setting 'model' cannot be 3"),
])
def test_errors_know_which_setting_is_wrong(given: dict[str, object], path: tuple[str, ...], message: str) -> None:
    with pytest.raises(SettingError) as caught:
        model_from(given)
    assert caught.value.path == path
    assert message in str(caught.value)


def test_models_by_name_and_from_files(tmp_path: Path) -> None:
    for name, model in SEARCH_MODELS.items():
        assert read_model(name) == model
    (tmp_path / "m.toml").write_text('model = "words"\n[channels.words]\nk1 = 0.9\n', encoding="utf-8")
    assert dict(read_model(str(tmp_path / "m.toml")).channels) == {"words": ChannelSettings(1.0, 0.9)}
    (tmp_path / "m.json").write_text(json.dumps(OTHER.to_dict()), encoding="utf-8")
    assert read_model(str(tmp_path / "m.json")) == OTHER
    for content, message in [
        ("[1]", "m.json: holds no table of settings"), ("{", "m.json: is not valid JSON"),
        ('{"links": {"wait": 1}}', r"m.json: there is no setting 'links\.wait'. Did you mean links\.weight\?"),
    ]:
        (tmp_path / "m.json").write_text(content, encoding="utf-8")
        with pytest.raises(ConfigError, match=message):
            read_model(str(tmp_path / "m.json"))
    with pytest.raises(ConfigError, match=r"there is no model 'zzz'\. Choose from default, plain"):
        read_model("zzz")


@every_case(("content", "message"), [
    (f"a = {'[' * 3000}", "is nested too deeply"),
    (f"a = {'[' * 400}{']' * 400}", "is nested too deeply"),
    (f"{'.'.join(['a'] * 3000)} = 1", "is nested too deeply"),
    (f"a = {'{b = ' * 600}1{'}' * 600}", "is nested too deeply"),
    (f"a = {'9' * 5000}", "a number has too many digits"),
    (f'"{"k" * 5000}" = 1', "there is no setting 'kkk"),
])
def test_files_that_no_model_can_be_read_from_are_refused_in_a_line(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "m.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=message) as caught:
        read_model(str(path))
    assert len(str(caught.value)) < 600


def test_the_default_says_which_topics_it_was_tuned_on() -> None:
    tuned_on = DEFAULT_MODEL.tuned_on
    assert tuned_on[:100] == tuple(f"A.{number}" for number in range(1, 101))
    assert {"Q.1", "Q.56", "100-1", "1000-60", "undergrad-585", "overview-1016"} < set(tuned_on)
    assert len(set(tuned_on)) == len(tuned_on) == 100 + 56 + 1016
    assert not {"A.101", "A.201", "A.301", "Q.57"} & set(tuned_on)  # of later years, and of no topic
    assert SearchModel.from_dict({"candidates": 10}).tuned_on == DEFAULT_MODEL.tuned_on
    assert SEARCH_MODELS["plain"].tuned_on == DEFAULT_MODEL.tuned_on
    assert SEARCH_MODELS["words"].tuned_on == ()


def test_a_run_says_what_made_it(sample_index: Path) -> None:
    with open_index(sample_index) as index:
        run = index.run([Query("A.1", make_query("a prime $p$").fields), Query("A.2", {})], 10)
        formulas = index.run_formulas([make_query("$a^2+b^2$")], 10)
    assert run.provenance is not None
    assert run.provenance.made_by == {"kind": "search", "model": DEFAULT_MODEL.to_dict()}
    assert run.provenance.tuned_on == DEFAULT_MODEL.tuned_on
    assert set(run.provenance.seconds) == {"A.1", "A.2"}
    assert all(seconds > 0 for seconds in run.provenance.seconds.values())
    assert formulas.provenance is not None
    assert formulas.provenance.made_by["kind"] == "formula search"
    assert "B.100" in formulas.provenance.tuned_on
    assert set(formulas.provenance.seconds) == {"query"}
    with Index(sample_index, SEARCH_MODELS["words"]) as index:
        words = index.run([make_query("prime")], 10)
    assert words.provenance is not None
    assert words.provenance.tuned_on == ()
    assert words["query"] != []
