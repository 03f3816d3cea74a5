"""A model's folder says how the model reads text."""

from __future__ import annotations

from pathlib import Path

import pytest
from case_tables import every_case

from porism.analysis.model_text import ModelText
from porism.errors import ConfigError, FormatError
from porism.vectors.neural.encoder_settings import (
    SETTINGS_FILE,
    EncoderSettings,
    read_encoder_settings,
    write_encoder_settings,
)


def test_settings_are_read_as_they_were_written(tmp_path: Path) -> None:
    settings = EncoderSettings(
        ModelText(("title", "body"), "prefix", "[MATH]", "[/MATH]"), "query: ", "passage: ", "chunks", 16, 128, 64,
        "dot", "cls", ("proofwiki train",),
    )
    assert write_encoder_settings(tmp_path, settings) == tmp_path / SETTINGS_FILE
    assert read_encoder_settings(tmp_path) == settings
    assert settings != EncoderSettings()


def test_a_folder_without_them_has_the_usual_ones(tmp_path: Path) -> None:
    assert read_encoder_settings(tmp_path) == read_encoder_settings(tmp_path / "none") == EncoderSettings()


@every_case(("written", "error", "said"), [
    ("{", FormatError, "is not JSON"),
    ("[1]", ConfigError, "cannot be"),
    ('{"lenght": 8}', ConfigError, "no setting 'lenght'"),
    ('{"length": "8"}', ConfigError, "'length' cannot be '8'"),
    ('{"length": 0}', ConfigError, "length cannot be 0"),
    ('{"cut": "middle"}', ConfigError, "cut"),
    ('{"cut": "chunks", "length": 32}', ConfigError, "cannot share 32"),
    ('{"overlap": -1}', ConfigError, "overlap cannot be -1"),
    ('{"similarity": "l2"}', ConfigError, "similarity"),
])
def test_broken_settings_name_the_file(
    tmp_path: Path, written: str, error: type[Exception], said: str
) -> None:
    (tmp_path / SETTINGS_FILE).write_text(written)
    with pytest.raises(error, match=said) as told:
        read_encoder_settings(tmp_path)
    assert str(tmp_path / SETTINGS_FILE) in str(told.value)
