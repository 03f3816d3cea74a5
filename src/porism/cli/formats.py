"""The formats that are read, what some of them need, and which files of a source were left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from porism.cli.terminal import echo

if TYPE_CHECKING:
    from porism.corpus.lacking import Lacking

_NAME_WIDTH = 18


def left_out_line(left_out: Mapping[str, int], lacking: Mapping[Lacking, int]) -> str:
    """``left out: 3 .docx (pip install 'porism[documents]' reads them), 12 .png (formats: porism index --formats)``."""
    from porism.corpus.lacking import lacking_texts, left_out_texts

    return f"left out: {', '.join([*lacking_texts(lacking), *left_out_texts(left_out)])}"


def print_formats(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    """The callback of an option that prints all formats instead of running its command."""
    if wanted and not context.resilient_parsing:
        for line in format_lines():
            echo(line)
        context.exit()


def format_lines() -> list[str]:
    """Every format: its name, the endings of its files, what becomes a document, and the extras that it needs."""
    from porism.corpus.registry import FORMATS

    lines: list[str] = []
    for name, reader in FORMATS.readers.items():
        endings = FORMATS.endings(name)
        details = [" ".join(endings), f"a document: {reader.document}"]
        by_extra: dict[tuple[str, str], list[str]] = {}
        for ending, extra in FORMATS.extras(name).items():
            state = "installed" if extra.is_installed else f"not installed: {extra.command}"
            by_extra.setdefault((extra.name, state), []).append(ending)
        for (extra_name, state), needing in by_extra.items():
            only = "" if set(needing) == set(endings) else f"{' '.join(needing)} "
            details.append(f"{only}needs the extra {extra_name} ({state})")
        shown = [detail for detail in details if detail]
        lines += [f"{name if not place else '':<{_NAME_WIDTH}}{detail}" for place, detail in enumerate(shown)]
    return lines
