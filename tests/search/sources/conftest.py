"""Files that sources are made of."""

from __future__ import annotations

from pathlib import Path

import pytest
from updated_indexes import Write


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes files below ``tmp_path``: content by path, None to remove."""

    def write(**files: str | None) -> Path:
        for name, content in files.items():
            path = tmp_path / name
            if content is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
        return tmp_path

    return write
