"""A score component costs a module and a line: models name it, check its settings, and search with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from helpers.title_component import TITLES, prepared
from porism.lab.tuning import with_parameters
from porism.retrieve import SearchModel, prepare_segments
from porism.retrieve.documents import model
from porism.retrieve.documents.model import COMPONENTS
from porism.retrieve.documents.named_models import SEARCH_MODELS
from porism.search.index import open_index
from porism.search.models.models import model_from, write_model
from porism.settings import SettingError


@pytest.fixture(autouse=True)
def titles(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The line of the registry that a new component costs."""
    monkeypatch.setattr(model, "COMPONENTS", MappingProxyType({**COMPONENTS, TITLES.name: TITLES}))
    yield
    prepared.clear()


def titled(weight: float) -> SearchModel:
    read = model_from({"model": "words", "components": {"titles": {"weight": weight}}})
    assert isinstance(read, SearchModel)
    return read


def test_each_has_its_name_and_settings() -> None:
    assert all(kind.name == name for name, kind in COMPONENTS.items())
    assert list(COMPONENTS) == ["matches", "coverage", "kinds", "usage", "meaning", "links"]
    for kind, settings in SEARCH_MODELS["default"].component_settings():
        assert isinstance(settings, kind.settings)


def test_a_model_searches_with_a_new_component(sample_index: Path) -> None:
    plain, more = SEARCH_MODELS["words"], titled(50.0)
    with open_index(sample_index, plain) as index:
        before = {hit.id: hit.score for hit in index.search("harmonic series", 100)}
    with open_index(sample_index, more) as index:
        hits = index.search("harmonic series", 100)
        gains = {hit.id: hit.score - before[hit.id] for hit in hits}
        assert set(gains.values()) == {0.0, 50.0}
        parts = [part.label for part in index.explain("harmonic series", hits[0].id).parts]
    assert parts[-1] == "title: it has a word of the query"
    with open_index(sample_index, titled(0.0)) as index:
        assert {hit.id: hit.score for hit in index.search("harmonic series", 100)} == before


def test_segments_are_prepared_for_it(sample_index: Path) -> None:
    with open_index(sample_index) as index:
        prepare_segments(index.snapshot.segments, titled(2.0))
    assert prepared == [TITLES.settings(weight=2.0)]


def test_settings_are_read_written_and_tuned() -> None:
    more = titled(0.5)
    written = write_model(more)
    assert written["components"] == {"titles": {"weight": 0.5}}
    assert model_from(written) == more
    assert "components" not in write_model(SEARCH_MODELS["words"])
    changed = with_parameters(written, {"components.titles.weight": 0.25})
    assert model_from(changed) == titled(0.25)


@pytest.mark.parametrize(("given", "path", "message"), [
    ({"title": {}}, ("components", "title"), "there is no component 'title'. Did you mean titles?"),
    ({"titles": {"wieght": 1.0}}, ("components", "titles", "wieght"), "components.titles.weight?"),
    ({"titles": {"weight": -1.0}}, ("components", "titles"), "titles cannot have the weight -1"),
    ({"links": {"weight": 1.0}}, ("components", "links"), "'links' is a setting of the model itself"),
])
def test_errors_know_which_setting_is_wrong(given: dict[str, object], path: tuple[str, ...], message: str) -> None:
    with pytest.raises(SettingError) as caught:
        model_from({"components": given})
    assert caught.value.path == path
    assert message in str(caught.value)


def test_components_stay_as_they_were_given() -> None:
    given = {"titles": {"weight": 1.0}}
    made = replace(SEARCH_MODELS["words"], components=given)
    given["titles"]["weight"] = 2.0
    assert made == titled(1.0)
