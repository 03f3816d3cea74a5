"""The core stands alone: without the wings, and without what only they need, its own tests pass."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from copied_kernels import copy_kernels
from long_forms import LONG

import porism

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path(porism.__file__).parent
WINGS = ("vectors", "lab", "serve", "cli")

OPTIONAL = (
    "accelerate", "dask", "datasets", "distributed", "faiss", "fastapi", "gensim", "httpx", "jinja2", "matplotlib",
    "mcp", "nh3", "pandas", "prometheus_client", "pymilvus", "pyterrier", "sentence_transformers", "sklearn",
    "starlette", "torch", "transformers", "uvicorn", "watchfiles",
)
"""Modules of the extras that only wings import."""

WITHOUT_OPTIONAL = f"""
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {OPTIONAL!r}:
            raise ModuleNotFoundError(f"no module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
"""

NEEDS_WINGS = {
    "analysis/test_bpe.py", "index/test_power.py", "retrieve/documents/test_component_registry.py",
    "retrieve/lexical/test_soft.py", "search/models/sums/test_formula_sums.py", "search/models/sums/test_sums.py",
    "search/models/test_model_encodings.py", "search/models/test_retriever_registry.py",
    "search/sources/test_foreign_names.py", "search/test_answering.py",
    "search/test_index_check.py",
    "search/test_list_artifacts.py", "system/compiled/test_warmup.py", "system/concurrency/test_processes.py",
    "system/files/test_durable.py", "system/test_lazy_imports.py",
}
"""Tests of the core that try it together with a wing."""

SHORT = ("search/test_answers.py", "search/test_relations.py")
LONG_FOLDERS = ("analysis", "index", "retrieve", "runs", "search", "system")


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project without the wings, their tests, and the tests that need them."""
    folder = tmp_path_factory.mktemp("core")
    shutil.copytree(PACKAGE, folder / "src" / "porism", ignore=lambda path, names: [
        name for name in names if name == "__pycache__" or (Path(path) == PACKAGE and name in WINGS)
    ])
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=shutil.ignore_patterns("__pycache__", *WINGS))
    copy_kernels(folder / "src" / "porism")
    for name in NEEDS_WINGS:
        (folder / "tests" / name).unlink()
    shutil.copytree(ROOT / "docs", folder / "docs")  # some tests compare pages
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "without" / "sitecustomize.py").parent.mkdir()
    (folder / "without" / "sitecustomize.py").write_text(WITHOUT_OPTIONAL, encoding="utf-8")
    return folder


def run(core: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python in the copy."""
    environment = {**os.environ, "PYTHONPATH": f"{core / 'without'}{os.pathsep}{core / 'src'}"}
    environment.pop("PORISM_LONG_TESTS", None)  # more examples show nothing more of what is missing
    return subprocess.run([sys.executable, *arguments], cwd=core, env=environment, capture_output=True, text=True)


def test_every_module_of_the_core_can_be_imported(core: Path) -> None:
    modules = [
        "porism." + ".".join(path.relative_to(core / "src" / "porism").with_suffix("").parts)
        for path in sorted((core / "src" / "porism").rglob("*.py")) if path.name not in ("__init__.py", "__main__.py")
    ]
    done = run(core, "-c", f"import importlib\nfor name in {modules!r}:\n    importlib.import_module(name)")
    assert done.returncode == 0, done.stderr


def test_a_wing_is_gone_and_so_are_its_kinds_of_models(core: Path) -> None:
    done = run(core, "-c", "from porism.search.models import RETRIEVERS\nprint(*RETRIEVERS)\nimport porism.vectors")
    assert done.stdout.split() == ["lexical", "structure", "meaning", "sum", "formula-sum"]
    assert "No module named 'porism.vectors'" in done.stderr
    assert run(core, "-c", "import torch").returncode != 0


def test_what_needs_a_wing_says_so(core: Path) -> None:
    code = (
        "from pathlib import Path\nfrom porism.search.models import wings\n"
        "wings.open_sparse_channels(Path(), {'splade': 1}, {})"
    )
    assert "a channel of a sparse encoder needs porism.vectors, which is missing" in run(core, "-c", code).stderr


def test_the_tests_of_the_core_pass(core: Path) -> None:
    chosen = LONG_FOLDERS if LONG else SHORT
    done = run(core, "-m", "pytest", "-x", "-o", "addopts=", *(f"tests/{name}" for name in chosen))
    assert done.returncode == 0, done.stdout[-5_000:]
    assert re.search(r"\d+ passed", done.stdout)
