"""``porism check`` on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from porism.corpus import open_source
from porism.sample import ENTRIES
from porism.search.sources.indexing import index_documents


@pytest.fixture
def index(tmp_path: Path) -> Path:
    index_documents(list(open_source(ENTRIES))[:10], tmp_path / "index", jobs=1)
    return tmp_path / "index"


def test_a_sound_index(porism: Callable[..., Any], index: Path) -> None:
    result = porism("check", "--index", index)
    assert result.status == 0
    lines = result.out.splitlines()
    assert lines[0].startswith("manifest ")
    assert lines[0].endswith("whole")
    assert lines[-1] == "Every file agrees with its checksum."
    assert json.loads(porism("check", "--index", index, "--json").out)["sound"] is True


def test_damage_is_told_and_mended(porism: Callable[..., Any], index: Path) -> None:
    (file,) = index.glob("segments/*/derived/places.bin")
    content = bytearray(file.read_bytes())
    content[70] ^= 1
    file.write_bytes(content)
    for command in (("check", "--index", index), ("info", index, "--verify")):
        result = porism(*command)
        assert result.status == 1
        assert "derived/places.bin: has changed in section" in result.out
        assert "porism check --repair" in result.out
        assert "1 damaged" in result.out
    result = porism("check", "--index", index, "--repair")
    assert result.status == 0
    assert "repaired: segments/0000000001/derived/places.bin" in result.out
    assert porism("info", index, "--verify").status == 0
