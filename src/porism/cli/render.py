"""Hits and index facts as lines on a terminal."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING

from porism.cli.formula_render import print_matches
from porism.cli.styled_text import styled, styled_lines
from porism.cli.terminal import echo, echo_styled, style

if TYPE_CHECKING:
    from porism.search.answers import Hit

SHOWN_TAGS = 5
MAX_WIDTH = 100
"""Columns of a passage on a wider terminal, and without a terminal."""

MAX_PLACE_WIDTH = 90
"""Characters of the line that says where a document is; outer headings are left out of a longer one."""

_NUMBER_WIDTH = 4


def print_hits(hits: Sequence[Hit]) -> None:
    """Prints hits as a list: rank and title; score and place; passage; id and tags; matches of formulas and the
    explanation, if the hit has them.

    Matches are in colour where there is colour, and not marked elsewhere: any sign could be one of a formula's.
    """
    if not hits:
        echo("Nothing found: no document shares a word or a part of a formula with the question.")
        return
    several = len({hit.location.source for hit in hits}) > 1
    indent = " " * _NUMBER_WIDTH
    width = min(shutil.get_terminal_size((MAX_WIDTH, 24)).columns, MAX_WIDTH) - _NUMBER_WIDTH
    for hit in hits:
        echo_styled(f"{hit.rank:>2}. {styled(hit.title, bold=True)}")
        known = hit.location.file or hit.location.url
        where = hit.location.text(several, str(hit.title), MAX_PLACE_WIDTH) if known else ""
        facts = f"{hit.id}{_tags(hit)}"
        echo_styled(indent + style(f"{hit.score:.3f}  ", dim=True) + (
            style(where, fg="cyan") if where else style(facts, dim=True)
        ))
        for line in styled_lines(hit.snippet, width):
            echo_styled(indent + line)
        if where:
            echo_styled(indent + style(facts, dim=True))
        if hit.matches:
            print_matches(hit.matches, tree=False)
        if hit.explanation is not None:
            _print_explanation(hit)
        echo()


def _print_explanation(hit: Hit) -> None:
    """The explanation of a score; of a document that was re-ranked that of each stage, the last one first."""
    from porism.search.highlighting import short_lines

    explained = [("", hit.explanation)]
    if hit.stages:
        explained = [(f"{stage.stage}: rank {stage.rank}", stage.explanation) for stage in reversed(hit.stages)]
    for heading, explanation in explained:
        if heading:
            echo(f"      {heading}")
        for line in () if explanation is None else short_lines(explanation):
            echo(f"      {'  ' if heading else ''}{line}")


def _tags(hit: Hit) -> str:
    tags = hit.metadata.get("tags", ())
    shown = ", ".join((tags,) if isinstance(tags, str) else tags[:SHOWN_TAGS])
    return f"  [{shown}]" if shown else ""


def human_bytes(size: float) -> str:
    """A size with its unit, such as ``1.5 MB``."""
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
