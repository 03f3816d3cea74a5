"""Dotted paths lead to what settings leave out, and nowhere else."""

from __future__ import annotations

import pytest
from case_tables import every_case

from porism.lab.recipes.kinds.searching import opened
from porism.lab.tuning import with_parameters
from porism.lab.tuning.space import UnknownParameter
from porism.retrieve import SearchModel
from porism.retrieve.lexical.settings import ChannelSettings

MODEL = SearchModel(
    {"words": ChannelSettings(1.0), "bpe:x.y": ChannelSettings(0.5, weighting="Lnu.ltb", parameters={"slope": 0.2})},
    field_weights={"title": 5.0},
)


def changed(path: str, value: object) -> SearchModel:
    return SearchModel.from_dict(with_parameters(opened(SearchModel, MODEL.to_dict(), [path]), {path: value}))


def test_optional_settings_and_entries_of_tables() -> None:
    assert changed("channels.words.power", 0.5).channels["words"].power == 0.5
    assert changed("channels.words.similarity", "near-0.3").channels["words"].similarity == "near-0.3"
    assert changed("channels.words.weight", 0.0).channels["words"].weight == 0.0
    assert changed("channels.bpe:x.y.parameters.slope", 0.1).channels["bpe:x.y"].parameters == {"slope": 0.1}
    assert changed("query_field_weights.tags", 2.0).query_field_weights == {"tags": 2.0}
    assert changed("field_weights.body", 2.0).field_weights == {"title": 5.0, "body": 2.0}
    assert changed("feedback.original_weight", 0.25).feedback.original_weight == 0.25


def test_a_channel_begins_with_the_field_weights_of_its_model() -> None:
    assert changed("channels.words.field_weights.body", 2.0).channels["words"].field_weights == {
        "title": 5.0, "body": 2.0,
    }
    assert changed("channels.words.query_field_weights.title", 3).channels["words"].query_field_weights == {"title": 3}
    assert changed("channels.words.field_weights.title", 2.0).field_weights == {"title": 5.0}


@every_case(
    "path", ["channels.wrds.weight", "channels.words.powr", "channels.words.powr.x", "feedback.weght", "tuned_on.A.1"]
)
def test_other_paths_lead_nowhere(path: str) -> None:
    settings = MODEL.to_dict()
    assert opened(SearchModel, settings, [path]) == settings
    with pytest.raises(UnknownParameter):
        changed(path, 1.0)
