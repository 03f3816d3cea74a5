"""The digest of the code of a stage: what changes it, and what does not."""

from __future__ import annotations

import ast
import shutil
from functools import lru_cache
from pathlib import Path

import pytest
from long_forms import LONG

import porism
from porism.recipes.code import CodeOf, code_digest, code_modules
from porism.recipes.kinds.base import StageKind
from porism.recipes.kinds.collection_indexing import BuildIndex
from porism.recipes.kinds.embeddings import TrainEmbeddings
from porism.recipes.kinds.fusions import FuseRuns
from porism.recipes.kinds.pipelines import AnswerTopics
from porism.recipes.kinds.registry import KINDS
from porism.recipes.kinds.report import CompareSystems

STAGES = [type(stage) for kind in KINDS for stage in kind.stages]

PACKAGE = {
    "__init__.py": "",
    "search/__init__.py": "from toy.search.scoring import score\nfrom toy.search.snippets import shorten\n",
    "search/scoring.py": "from toy.numbers import half\n\ndef score(x: int) -> int:\n    return half(x)\n",
    "search/snippets.py": "from toy.texts import cut\n\ndef shorten(x: str) -> str:\n    return cut(x)\n",
    "numbers.py": "def half(x: int) -> int:\n    import toy.constants\n    return x * toy.constants.HALF\n",
    "constants.py": "from toy.data.words import read\nHALF = 0.5\n",
    "texts.py": "def cut(x: str) -> str:\n    return x\n",
    "types.py": "class Plan: ...\n",
    "settings.py": "class Settings: ...\n",
    "data/__init__.py": "",
    "data/words.py": "def read() -> str: ...\n",
    "data/lists/words.txt": "one",
    "search/stopwords.txt": "the",
    "pages/__init__.py": "",
    "pages/page.html": "<p>",
    "recipes/__init__.py": "",
    "recipes/shared.py": "LIMIT = 3\n\ndef limited(x: int) -> int:\n    return min(x, LIMIT)\n\ndef other(): ...\n",
    "recipes/kind.py": """\
from __future__ import annotations
from toy.recipes.shared import limited
from toy.search import score, shorten
from toy.settings import Settings
from toy.types import Plan

class Stage:
    def make(self, plan: Plan) -> int:
        settings: Settings = plan.settings
        return helped(limited(settings.count(1)))

def helped(x: int) -> int:
    return score(x)

def check(x: str) -> str:
    return shorten(x)
""",
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A small package of the same shape: search, and recipes that use it."""
    root = tmp_path / "toy"
    for name, text in PACKAGE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def toy_digest(root: Path) -> str:
    return CodeOf(root, "toy.recipes").digest("toy.recipes.kind", "Stage")


@pytest.mark.parametrize(("file", "old", "new", "counts"), [
    ("search/scoring.py", "half(x)", "half(x + 1)", True),
    ("numbers.py", "x * toy", "2 * x * toy", True),
    ("constants.py", "0.5", "0.25", True),  # imported inside a function
    ("search/snippets.py", "cut(x)", "cut(x + '…')", False),  # beside what is imported from the same package
    ("texts.py", "return x", "return x[:9]", False),
    ("data/lists/words.txt", "one", "two", True),
    ("search/stopwords.txt", "the", "a", True),
    ("pages/page.html", "<p>", "<b>", False),
    ("types.py", "...", "pass", False),  # what a parameter is
    ("settings.py", "...", "pass", True),  # what a variable is: its methods are called
    ("recipes/kind.py", "score(x)", "score(x) + 1", True),  # a function that the stage uses
    ("recipes/kind.py", "count(1)", "count(2)", True),
    ("recipes/kind.py", "return shorten(x)", "return shorten(x)[:9]", False),  # one that it does not use
    ("recipes/shared.py", "LIMIT = 3", "LIMIT = 4", True),
    ("recipes/shared.py", "def other(): ...", "def other(): return 1", False),
    ("recipes/kind.py", "return score(x)\n", "return score(x)  # half of it\n", False),
])
def test_what_a_stage_uses_changes_its_digest(package: Path, file: str, old: str, new: str, counts: bool) -> None:
    before = toy_digest(package)
    text = PACKAGE[file]
    assert old in text
    (package / file).write_text(text.replace(old, new), encoding="utf-8")
    assert (toy_digest(package) != before) is counts
    (package / file).write_text(text, encoding="utf-8")
    assert toy_digest(package) == before


def test_a_real_module_counts_where_it_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ast, "parse", lru_cache(None)(ast.parse))  # a file is parsed again where it has changed only
    root = tmp_path / "porism"
    shutil.copytree(Path(porism.__file__).parent, root, ignore=shutil.ignore_patterns("__pycache__"))

    def digests() -> dict[str, str]:
        code = CodeOf(root, "porism.recipes")
        return {stage.name: code.digest(stage.__module__, stage.__qualname__) for stage in STAGES}

    def changed(*modules: str) -> set[str]:
        texts = {root / module: (root / module).read_text(encoding="utf-8") for module in modules}
        for path, text in texts.items():
            path.write_text(f"{text}\nADDED = 1\n", encoding="utf-8")
        after = digests()
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
        return {name for name in before if after[name] != before[name]}

    before = digests()
    assert changed("search/snippets.py").isdisjoint({"index", "tokenizer", "embeddings", "similarities", "fuse"})
    assert changed("reports/latex.py") == {"report"}
    if LONG:
        assert "index" in changed("index/writer.py")
        assert changed("reports/templates/report.css") == {"report"}
    assert changed("recipes/checking.py", "cli/experimenting.py") == set()


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_no_stage_depends_on_how_recipes_are_read_and_commands_printed(stage: type[StageKind]) -> None:
    modules = code_modules(stage)
    assert not [name for name in modules if name.startswith(("porism.recipes", "porism.cli"))]
    assert "porism.types" in modules
    assert len(code_digest(stage)) == 32


def test_stages_depend_on_what_does_their_work() -> None:
    assert {"porism.index.writer", "porism.search.sources.indexing"} <= code_modules(BuildIndex)
    assert {"porism.embeddings.training", "porism.embeddings.decontextual"} <= code_modules(TrainEmbeddings)
    assert {"porism.retrieve.documents.retriever", "porism.pipeline.retrieving"} <= code_modules(AnswerTopics)
    shown = ("porism.search.snippets", "porism.search.highlighting", "porism.search.index", "porism.search.answers")
    assert code_modules(AnswerTopics).isdisjoint(shown)
    assert {"porism.fusion.ranks", "porism.fusion.learning"} <= code_modules(FuseRuns)
    assert {"porism.reports.html", "porism.evaluate.evaluation"} <= code_modules(CompareSystems)
    assert not [name for name in code_modules(FuseRuns) if name.startswith(("porism.retrieve", "porism.reports"))]
