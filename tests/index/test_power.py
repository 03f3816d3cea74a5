"""What the power takes with it: nothing that was promised, and the tests notice a step that was left out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case
from long_forms import LONG_ONLY
from power_cuts import cut_power

from porism.system.files import durable

pytest.importorskip("tokenizers", reason="needs tokenizers: pip install 'porism[embeddings]'")
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc/self/fd: run it on Linux")


def test_whatever_was_promised_is_there_after_a_power_cut() -> None:
    taken, failures = cut_power(60, every=0.2)
    assert taken == 60
    assert failures == {}


def nothing(*_: object) -> None:
    """In the place of what makes something durable."""


def not_synced(path: Path, data: bytes) -> None:
    part = durable.temporary_name(path)
    part.write_bytes(data)
    durable.publish(part, path)


BROKEN: dict[str, tuple[str, str, Callable[..., Any]]] = {
    "tokenizers are not synced": ("porism.analysis.tokenizers.tokenizer", "replace_file", not_synced),
    "the folder of an index is not synced": (
        "porism.index.writer", "make_folder", lambda path: path.mkdir(parents=True, exist_ok=True)
    ),
    "expansions are not synced": ("porism.lab.doc2query.store", "sync_file", nothing),
}


@LONG_ONLY
@every_case("step", BROKEN)
def test_a_step_that_is_left_out_is_noticed(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, instead = BROKEN[step]
    __import__(module)
    monkeypatch.setattr(sys.modules[module], name, instead)
    _, failures = cut_power(200, seed=3, stop=True)
    assert failures, f"no image was unusable although {step}"
