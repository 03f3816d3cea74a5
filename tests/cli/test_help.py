"""The help lists every command, in sections."""

from __future__ import annotations

import re

import click
import pytest

from porism.cli import porism as group
from porism.cli.grouping import SectionedGroup


def test_every_command_is_in_one_section():
    listed = [name for names in group.sections.values() for name in names]
    assert sorted(listed) == sorted(group.commands)
    assert list(group.sections) == ["Search", "Collections", "Models", "Experiments"]


def test_the_help_shows_the_sections_with_their_commands(porism):
    shown = porism("--help").out
    places = [shown.index(f"\n{title}:\n") for title in group.sections]
    assert places == sorted(places)
    for title, names in group.sections.items():
        section = shown.split(f"\n{title}:\n", 1)[1].split("\n\n", 1)[0]
        assert re.findall(r"^  (\w+)", section, flags=re.M) == names
    assert "\nCommands:" not in shown


@pytest.mark.parametrize("name", sorted(group.commands))
def test_the_line_of_a_command_is_a_whole_sentence(name, porism, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    line = next(line for line in porism("--help").out.splitlines() if line.startswith(f"  {name} "))
    assert not line.endswith("..."), line


def test_a_command_without_a_section_or_with_a_name_that_is_taken_is_refused():
    some = SectionedGroup("some")
    one = click.Command("one")
    some.add_section("First", one)
    with pytest.raises(TypeError, match="add_section"):
        some.add_command(click.Command("two"))
    with pytest.raises(ValueError, match="'one'"):
        some.add_section("Second", one)
