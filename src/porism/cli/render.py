"""Hits and index facts as lines on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from porism.explanation import Explanation
    from porism.index import IndexInfo
    from porism.retrieve.matches import FormulaMatch
    from porism.searching import Hit
    from porism.snippets import Snippet

SHOWN_TAGS = 5


def on_terminal() -> bool:
    """Whether output goes to a terminal that shows colours: one, and ``NO_COLOR`` is not set (https://no-color.org)."""
    import os
    import sys

    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def styled(snippet: Snippet) -> str:
    """A snippet with matches in colour; ``click.echo`` removes the colour where there is no terminal."""
    return "".join(
        click.style(piece.text, fg="green" if piece.formula else "yellow", bold=True) if piece.match else piece.text
        for piece in snippet.pieces
    )


def print_hits(
    hits: Sequence[Hit], explanations: Mapping[str, Explanation] | None = None,
    matches: Mapping[str, Sequence[FormulaMatch]] | None = None,
) -> None:
    """Prints hits as a list: rank, title, score, id and tags, snippet, and where there are any, how formulas of the
    question match formulas of the document (by its id), and the explanation.

    Where there is no terminal, matches stand between asterisks.
    """
    terminal = on_terminal()
    if not hits:
        click.echo("Nothing found: no document shares a word or a part of a formula with the question.")
        return
    for hit in hits:
        title = styled(hit.title) if terminal else hit.title.marked("*", "*")
        click.echo(f"{hit.rank:>2}. {title}")
        tags = hit.metadata.get("tags", ())
        shown = ", ".join((tags,) if isinstance(tags, str) else tags[:SHOWN_TAGS])
        facts = f"{hit.score:.3f}  {hit.id}" + (f"  [{shown}]" if shown else "")
        click.echo(f"    {click.style(facts, dim=True) if terminal else facts}")
        snippet = styled(hit.snippet) if terminal else hit.snippet.marked("*", "*")
        if snippet:
            click.echo(click.wrap_text(snippet, width=100, initial_indent="    ", subsequent_indent="    "))
        if matches and hit.id in matches:
            from porism.cli.formula_render import print_matches

            print_matches(matches[hit.id], tree=False)
        if explanations and hit.id in explanations:
            from porism.highlighting import short_lines

            for line in short_lines(explanations[hit.id]):
                click.echo(f"      {line}")
        click.echo()


def info_lines(info: IndexInfo) -> list[str]:
    """What ``porism info`` prints: one fact a line, then a table of channels."""
    from datetime import datetime

    def day(seconds: float) -> str:
        return datetime.fromtimestamp(seconds).astimezone().isoformat(sep=" ", timespec="seconds")

    deleted = f" ({info.deleted:,} deleted ones still take room; porism merge frees it)" if info.deleted else ""
    settings = ", ".join(
        f"{key} {value}" for key, value in info.config.items() if isinstance(value, str)
    )
    in_channels = {what: size for what, size in info.sizes.items() if what.startswith("channel ")}
    facts = {
        "index": f"{info.path}, format {info.format}, generation {info.generation}",
        "written": f"first {day(info.created)}, last {day(info.updated)}",
        "documents": f"{info.documents:,}{deleted}",
        "fields": ", ".join(info.fields) or "none",
        "metadata": ", ".join(f"{key} ({count:,})" for key, count in info.metadata.items()) or "none",
        "formulas": f"{info.formulas:,} distinct, {info.occurrences:,} in all",
        "settings": settings,
        "segments": f"{len(info.segments)}",
        "size": f"{human_bytes(info.size)}: channels {human_bytes(sum(in_channels.values()))}, " + ", ".join(
            f"{what} {human_bytes(size)}" for what, size in sorted(info.sizes.items(), key=lambda item: -item[1])
            if what not in in_channels
        ),
    }
    lines = [f"{name:<10} {value}" for name, value in facts.items()]
    if info.channels:
        width = max(len(channel.name) for channel in info.channels)
        lines += ["", f"{'channel':<{width}}  {'of':<8}{'terms':>12}{'postings':>12}{'tokens':>12}{'size':>12}"]
        lines += [
            f"{channel.name:<{width}}  {channel.kind:<8}{channel.terms:>12,}{channel.postings:>12,}"
            f"{channel.tokens:>12,}"
            f"{human_bytes(in_channels.get(f'channel {channel.name}', 0)):>12}"
            for channel in info.channels
        ]
    return lines


def human_bytes(size: float) -> str:
    """A size with its unit, such as ``1.5 MB``."""
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
