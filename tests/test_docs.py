"""Every public name is documented, and pages are those that their scripts write."""

from __future__ import annotations

import importlib
import importlib.util
import re
from pathlib import Path
from typing import Any

from case_tables import every_case

import porism
from porism.lab.recipes.papers.results import PaperResults, recipe_digest
from test_layers import LAYERS

ROOT = Path(__file__).resolve().parents[1]
API = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")


@every_case("name", [name for name in porism.__all__ if name != "__version__"])
def test_public_names_are_documented(name: str) -> None:
    assert re.search(rf"`{name}\b", API), f"docs/reference/python.md does not mention {name}"


def test_the_readme_shows_the_two_commands_first() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"```sh\n(.*?)```", readme, flags=re.S)
    assert "porism demo" in commands[0]
    assert "pytest" in commands[1]


def test_the_guide_to_similar_terms_shows_a_model_that_can_be_read(tmp_path: Path) -> None:
    from porism.search.models.models import read_model

    page = (ROOT / "docs" / "how-to" / "match-similar-terms.md").read_text(encoding="utf-8")
    (settings,) = re.findall(r"where `soft.toml` is [^\n]+\n\n```toml\n(.*?)```", page, flags=re.S)
    (tmp_path / "soft.toml").write_text(settings, encoding="utf-8")
    model = read_model(str(tmp_path / "soft.toml"))
    assert {name: (one.similarity, one.softness) for name, one in model.channels.items()} == {"words": ("words", 0.5)}
    assert "porism similarities words --channel words" in page  # makes the matrix of this name


def found(name: str) -> bool:
    """Whether a module has this name, or something in one."""
    module, _, attribute = name.rpartition(".")
    try:
        return importlib.import_module(name) is not None
    except ModuleNotFoundError:
        try:
            return hasattr(importlib.import_module(module), attribute)
        except ModuleNotFoundError:
            return False


def test_paths_that_the_changelog_renames_are_gone_and_new_ones_exist() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(porism\.[\w.]+)` \| `(porism\.[\w.]+)` \|$", text, flags=re.M)
    assert len(rows) > 15
    assert [row for row in rows if found(row[0]) or not found(row[1])] == []


def test_every_folder_has_a_section_in_the_architecture() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    package = Path(porism.__file__).parent
    folders = {path.name for path in package.iterdir() if (path / "__init__.py").exists()}
    assert set(re.findall(r"^## `(\w+)/`: .+\?$", text, flags=re.M)) == folders


def test_the_table_of_floors_is_the_one_that_is_tested() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    floors = {int(number): parts for number, parts in re.findall(r"^\| (\d) [^|]+\| (.+) \|$", text, flags=re.M)}
    shown = [set(re.findall(r"`(\w+)(?:/|\.py)`", floors[number])) for number in range(len(floors))]
    assert shown == [names - {"__init__", "__main__"} for names in LAYERS]


def script(name: str) -> Any:
    """A script that writes pages, as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@every_case("name", ["latex_commands", "notations", "cli_reference"])
def test_pages_are_what_their_scripts_write(name: str) -> None:
    module = script(name)
    assert module.PAGE.read_text(encoding="utf-8") == module.page()  # else: python docs/NAME.py


def test_pages_of_reproductions_are_what_their_stored_results_give() -> None:
    for page, content in script("reproduction_pages").stored_pages().items():
        assert page.read_text(encoding="utf-8") == content, page.name  # else: python docs/reproduction_pages.py


def test_stored_results_are_of_recipes_as_they_are() -> None:
    for path in (ROOT / "docs" / "reproductions" / "results").glob("*.json"):
        results = PaperResults.read(path)
        assert results.recipe == recipe_digest(results.paper, results.scale), f"{path.name}: run porism reproduce again"


def test_tables_of_settings_are_those_of_the_dataclasses() -> None:
    pages = dict(script("settings_tables").pages())
    assert {"readers.md", "similarities.md", "training.md", "embeddings.md"} <= {page.name for page in pages}
    for page, content in pages.items():
        assert page.read_text(encoding="utf-8") == content, page.name  # else: python docs/settings_tables.py
