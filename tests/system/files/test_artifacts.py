"""Names, files and cleaning of what an index keeps beside its segments."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from case_tables import every_case

from porism.errors import ConfigError
from porism.system.files.artifacts import ARTIFACT_KINDS, EMBEDDINGS, TOKENIZERS


@every_case("kind", ARTIFACT_KINDS, ids=lambda kind: kind.folder)
def test_a_kind_lists_the_artifacts_of_its_folder(kind, tmp_path: Path) -> None:
    assert kind.names(tmp_path) == []
    for name in ("b-2.x", "a_1"):
        kind.prepare(tmp_path, name).write_bytes(b"")
    for other in ("-no", "c.training", f"d{kind.suffix}.12.tmp"):
        (tmp_path / kind.folder / other).write_bytes(b"")
    assert kind.names(tmp_path) == ["a_1", "b-2.x"]
    assert kind.path(tmp_path, "a_1").parent == tmp_path / kind.folder


def test_folders_of_kinds_differ() -> None:
    assert len({kind.folder for kind in ARTIFACT_KINDS}) == len(ARTIFACT_KINDS)


@every_case("name", ["", "a/b", "..", "../a", "-a", "a b", "a\n"])
def test_what_is_no_name_of_a_file_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be the name of embeddings"):
        EMBEDDINGS.path(tmp_path, name)


def test_a_missing_artifact_names_those_there_are_or_how_to_make_one(tmp_path: Path) -> None:
    assert "porism train tokenizer m --index" in str(TOKENIZERS.missing(tmp_path, "m"))
    TOKENIZERS.prepare(tmp_path, "other").write_bytes(b"")
    assert "It has: other." in str(TOKENIZERS.missing(tmp_path, "m"))


def test_only_old_temporary_files_are_removed(tmp_path: Path) -> None:
    path = EMBEDDINGS.prepare(tmp_path, "e")
    old, new = (path.with_name(f"e.bin.{number}.tmp") for number in (1, 2))
    for file in (old, new):
        file.write_bytes(b"")
    os.utime(old, (0, 0))
    EMBEDDINGS.prepare(tmp_path, "e")
    assert not old.exists()
    assert new.exists()
