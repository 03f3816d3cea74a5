"""Room on a disk: what a folder takes, and what is free."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from porism.errors import StorageError
from porism.system.files.durable import check_room, folder_size


def test_a_folder_is_as_large_as_the_files_below_it(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "one").write_bytes(b"a" * 10)
    (tmp_path / "inner" / "two").write_bytes(b"b" * 5)
    assert folder_size(tmp_path) == 15
    assert folder_size(tmp_path / "missing") == 0


def test_room_is_needed_with_a_tenth_to_spare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = 11 << 30
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=free))
    check_room(tmp_path, (10 << 30) - 1)
    with pytest.raises(StorageError, match=r"12\.1 GiB are needed, and the disk has 11\.0 GiB free"):
        check_room(tmp_path, 11 << 30)
