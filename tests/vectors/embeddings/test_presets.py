"""How the vectors of published systems were trained."""

from __future__ import annotations

import pytest

from porism.errors import ConfigError
from porism.settings import read_settings
from porism.vectors.embeddings.methods import METHODS, PRESETS, preset_settings


def test_presets_have_the_published_numbers() -> None:
    settings = {
        name: read_settings(METHODS[one.method].settings, preset_settings(name, one.method))
        for name, one in PRESETS.items()
    }
    scm = settings["mirmu2021-scm"]
    assert (scm.skip_gram, scm.phrases, scm.negative, scm.window, scm.sample) == (True, 2, 5, 5, 1e-4)
    assert (scm.buckets, scm.min_n, scm.max_n, scm.rate, scm.last_rate) == (2_000_000, 3, 6, 0.05, 0.0)
    plain, positional = settings["scm2022"], settings["scm2022-positional"]
    assert (plain.negative, plain.sample, plain.window, plain.skip_gram) == (10, 1e-5, 5, False)
    assert (positional.negative, positional.sample, positional.window) == (10, 1e-5, 15)
    assert {one.dimensions for one in settings.values()} == {300}
    assert (plain.kept, positional.kept) == ("average", "average")


def test_presets_are_of_one_method() -> None:
    with pytest.raises(ConfigError, match="the preset 'scm2022' is of the method word2vec, not positional"):
        preset_settings("scm2022", "positional")
    with pytest.raises(ConfigError, match="there is no preset of embeddings 'scm2021'"):
        preset_settings("scm2021", "fasttext")
