"""Every command, option and public name is documented."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import click
import pytest

import porism
from porism.cli import porism as group
from test_layers import LAYERS

ROOT = Path(__file__).resolve().parents[1]
CLI = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
API = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(group.commands))
def test_commands_and_options_are_documented(name: str) -> None:
    heading = f"## porism {name}"
    assert heading in CLI
    section = CLI.split(heading, 1)[1].split("\n## ", 1)[0]
    command = group.commands[name]
    below = command.commands if isinstance(command, click.Group) else {}
    for sub in below:
        assert f"`porism {name} {sub}" in section, f"{name} {sub}"
    for parameter in [*command.params, *(one for sub in below.values() for one in sub.params)]:
        if isinstance(parameter, click.Option):
            for option in [*parameter.opts, *parameter.secondary_opts]:
                assert f"`{option}" in section, f"{name} {option}"


def test_no_documented_command_is_missing() -> None:
    assert set(re.findall(r"^## porism (\w+)", CLI, flags=re.M)) == set(group.commands)


@pytest.mark.parametrize("name", [name for name in porism.__all__ if name != "__version__"])
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


def test_the_page_of_latex_commands_is_that_of_the_tables() -> None:
    spec = importlib.util.spec_from_file_location("latex_commands", ROOT / "docs" / "latex_commands.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE.read_text(encoding="utf-8") == module.page()  # else: python docs/latex_commands.py
