"""The help lists every command, in sections."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from porism.cli import porism as group
from porism.cli.grouping import CommandEntry, SectionedGroup


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
        assert re.findall(r"^  (\w+)", section, flags=re.M) == list(names)
    assert "\nCommands:" not in shown


def groups() -> Iterator[SectionedGroup]:
    yield group
    yield from (command for command in group.commands.values() if isinstance(command, SectionedGroup))


def test_commands_have_the_names_of_their_entries():
    for some in groups():
        assert {name: command.name for name, command in some.commands.items()} == {name: name for name in some.commands}


def test_summaries_are_whole_sentences_in_a_line():
    for some in groups():
        for entries in some.sections.values():
            for name, entry in entries.items():
                assert entry.summary.endswith("."), name
                assert len(entry.summary) <= 80 - 4 - max(map(len, some.commands)), name


def test_the_help_imports_no_command():
    code = (
        "import sys; from porism.cli import porism; porism.main(['--help'], standalone_mode=False);"
        "print('porism.cli.grouping' in sys.modules, 'porism.cli.searches' in sys.modules, 'numpy' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert shown.splitlines()[-1] == "True False False"


def test_no_two_parameters_of_a_command_have_the_same_name():
    for some in groups():
        for name, command in some.commands.items():
            names = [parameter.name for parameter in command.params]
            assert len(names) == len(set(names)), name


def test_a_command_of_two_sections_or_of_none_is_refused():
    entry = CommandEntry("demo:demo", "Shows.")
    with pytest.raises(ValueError, match="'one'"):
        SectionedGroup("some", sections={"First": {"one": entry}, "Second": {"one": entry}})
    with pytest.raises(TypeError, match="section"):
        SectionedGroup("some", sections={}).add_command(click.Command("two"))
