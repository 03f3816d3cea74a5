"""Output on the terminal, in colours if chosen, without control characters of documents or file names."""

from __future__ import annotations

import os
import sys
from typing import IO, Any

import click

from porism.search.printable import printable

COLORS = ("auto", "always", "never")


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Prints plain text to standard output, or to standard error; control characters in it become ``�``."""
    click.echo(printable(text), err=err, nl=nl, color=False)


def echo_styled(text: str) -> None:
    """Prints a line made by :func:`style`; text of a document must have gone through it, or through ``printable``."""
    click.echo(text, color=in_color())


def style(text: str, **how: Any) -> str:
    """Text from anywhere, safe to print, in colour or bold if output has colours."""
    return click.style(printable(text), **how) if how and in_color() else printable(text)


def in_color(stream: IO[str] | None = None) -> bool:
    """Whether output has colours: what ``--color`` says, else ``NO_COLOR``, else ``FORCE_COLOR``, else for a terminal.

    See https://no-color.org and https://force-color.org; a variable that is empty does not count.
    """
    context = click.get_current_context(silent=True)
    chosen = context.find_root().meta.get(_CHOSEN, "auto") if context is not None else "auto"
    if chosen != "auto":
        return bool(chosen == "always")
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return (stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"


_CHOSEN = "porism.color"


def choose_color(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """The callback of ``--color``, whose value counts for the whole command."""
    context.find_root().meta[_CHOSEN] = value
    return value
