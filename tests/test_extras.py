"""A missing optional dependency is named with the command that installs it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from porism.errors import MissingExtra
from porism.extras import need


def test_what_is_there_is_imported() -> None:
    assert need("json.decoder", "lab", "reading") is sys.modules["json.decoder"]


def test_what_is_missing_is_named_with_its_command() -> None:
    with pytest.raises(MissingExtra) as caught:
        need("no_such_library.part", "lab", "a significance test")
    assert str(caught.value) == (
        "a significance test needs no_such_library, which is not installed. Install it: pip install 'porism[lab]'"
    )


def test_what_a_library_lacks_itself_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "half_there.py").write_text("import no_such_library")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MissingExtra, match="a plot, through half_there, needs no_such_library"):
        need("half_there", "lab", "a plot")
