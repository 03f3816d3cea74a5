"""A group of commands whose help lists them in sections, in the order in which they are used."""

from __future__ import annotations

from typing import Any

import click


class SectionedGroup(click.Group):
    """A group in which every command belongs to a section of the help.

    Commands are added with :meth:`add_section`; :meth:`add_command` alone would leave one out of the help, so it is
    refused.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.sections: dict[str, list[str]] = {}

    def add_section(self, title: str, *commands: click.Command) -> None:
        """Adds commands under a title; they are listed in this order, after those that the section already has."""
        for command in commands:
            if command.name is None or command.name in self.commands:
                raise ValueError(f"the section {title!r} needs commands with new names, not {command.name!r}")
            self.sections.setdefault(title, []).append(command.name)
            super().add_command(command)

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Refuses: a command without a section would not be listed."""
        raise TypeError(f"add the command {name or cmd.name!r} with add_section, so that the help lists it")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes one list of commands a section, all with the same width of names."""
        width = max((len(name) for name in self.commands), default=0)
        limit = formatter.width - 6 - width
        for title, names in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([
                    (name.ljust(width), self.commands[name].get_short_help_str(limit)) for name in names
                ])
