"""Groups of commands that list them in sections, and import a command only when it is called.

So ``porism --help`` answers at once, and a command may read the dataclasses of the settings that its options state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any, NamedTuple

import click


class CommandEntry(NamedTuple):
    """A command of a group: ``module:function`` in :mod:`porism.cli`, and its line in the help of the group."""

    place: str
    summary: str


Sections = Mapping[str, Mapping[str, CommandEntry]]
"""Titles, and below them the names of commands in the order in which the help lists them."""


class _Commands(MutableMapping[str, click.Command]):
    """Commands by name, imported when they are looked up."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places
        self._loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._loaded:
            module, _, function = self._places[name].partition(":")
            self._loaded[name] = getattr(import_module(f"porism.cli.{module}"), function)
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._places or name in self._loaded

    def __setitem__(self, name: str, command: click.Command) -> None:
        raise TypeError(f"add the command {name!r} to a section of its group, so that the help lists it")

    def __delitem__(self, name: str) -> None:
        raise TypeError(f"remove the command {name!r} from the sections of its group")

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class SectionedGroup(click.Group):
    """A group whose commands are the entries of its sections.

    :raises ValueError: two sections have a command of the same name.
    """

    def __init__(self, *arguments: Any, sections: Sections, **options: Any) -> None:
        super().__init__(*arguments, **options)
        places: dict[str, str] = {}
        for title, entries in sections.items():
            for name, entry in entries.items():
                if name in places:
                    raise ValueError(f"the section {title!r} has a second command {name!r}")
                places[name] = entry.place
        self.sections = sections
        self.commands = _Commands(places)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, self.commands), default=0)
        for title, entries in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), entry.summary) for name, entry in entries.items()])
