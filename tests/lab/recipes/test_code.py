"""The digest of the code of a stage: what changes it, and what does not."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from porism.lab.recipes import digests
from porism.lab.recipes.digests import code_digest, package_digest
from porism.lab.recipes.kinds.fusions import FuseRuns
from porism.lab.recipes.kinds.pipelines import AnswerTopics


@pytest.fixture
def package(tmp_path: Path) -> Path:
    root = tmp_path / "toy"
    for name, text in {"__init__.py": "", "search/scoring.py": "HALF = 0.5\n", "search/words.txt": "the"}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    package_digest.cache_clear()


@pytest.mark.parametrize(("file", "text"), [
    ("search/scoring.py", "HALF = 0.25\n"), ("search/words.txt", "a"), ("search/added.py", ""),
])
def test_every_file_of_the_package_counts(package: Path, file: str, text: str) -> None:
    before = package_digest(package)
    (package / file).write_text(text, encoding="utf-8")
    package_digest.cache_clear()
    assert package_digest(package) != before


def test_what_python_compiles_does_not_count(package: Path) -> None:
    before = package_digest(package)
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "scoring.cpython-311.pyc").write_bytes(b"compiled")
    package_digest.cache_clear()
    assert package_digest(package) == before


def test_the_version_counts(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = package_digest(package)
    monkeypatch.setattr(digests, "__version__", "99.0")
    package_digest.cache_clear()
    assert package_digest(package) != before


def test_the_file_of_a_stage_from_elsewhere_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    seen = {code_digest(FuseRuns)}
    for number in (1, 20):
        (tmp_path / f"own_stage_{number}.py").write_text(f"class OwnStage:\n    LIMIT = {number}\n", encoding="utf-8")
        seen.add(code_digest(importlib.import_module(f"own_stage_{number}").OwnStage))
    assert len(seen) == 3
    assert code_digest(AnswerTopics) == code_digest(FuseRuns)
