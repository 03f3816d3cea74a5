"""What ``porism info`` prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from porism.cli.progress import one_line
from porism.cli.render import human_bytes
from porism.errors import Problem, counted

if TYPE_CHECKING:
    from porism.index import IndexInfo
    from porism.index.report import GroupProblems
    from porism.search.artifacts import Artifact

MAX_ENDINGS = 8
"""So many endings of files that are left out are named."""


def info_lines(info: IndexInfo) -> list[str]:
    """One fact a line, then the sources, then a table of channels."""
    deleted = f" ({info.deleted:,} deleted ones still take room; porism merge frees it)" if info.deleted else ""
    settings = ", ".join(
        f"{key} {value}" for key, value in info.config.items() if isinstance(value, str)
    )
    in_channels = {what: size for what, size in info.sizes.items() if what.startswith("channel ")}
    facts = {
        "index": f"{info.path}, format {info.format}, generation {info.generation}",
        "written": f"first {_day(info.created)}, last {_day(info.updated)}",
        "documents": f"{info.documents:,}{deleted}",
        "fields": ", ".join(info.fields) or "none",
        "metadata": ", ".join(f"{key} ({count:,})" for key, count in info.metadata.items()) or "none",
        "formulas": f"{info.formulas:,} distinct, {info.occurrences:,} in all",
        "language": language_line(info.languages).partition(" ")[2],
        "settings": settings,
        "segments": f"{len(info.segments)}",
        "size": f"{human_bytes(info.size)}: channels {human_bytes(sum(in_channels.values()))}, " + ", ".join(
            f"{what} {human_bytes(size)}" for what, size in sorted(info.sizes.items(), key=lambda item: -item[1])
            if what not in in_channels
        ),
    }
    lines = [f"{name:<10} {value}" for name, value in facts.items()]
    if info.sources:
        lines += ["", "sources"]
    for source in info.sources:
        problems = f", {counted(source.problems, 'problem')} (--problems lists them)" if source.problems else ""
        holds = f"{counted(source.documents, 'document')} of {counted(source.files, 'file')}"
        lines.append(
            f"  {source.name}: {holds}, {source.format}, "
            f"{'read ' + _day(source.read) if source.read else 'not read to its end yet'}{problems}"
        )
        lines.append(f"    {source.path}{'' if source.there else ' (not there now)'}")
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


def language_line(languages: Mapping[str, int]) -> str:
    """``language: French (312 documents), English (20)``."""
    counts = [f"{count:,}" for count in languages.values()]
    if counts:
        counts[0] = counted(next(iter(languages.values())), "document")
    shown = [f"{name.capitalize()} ({count})" for name, count in zip(languages, counts, strict=True)]
    return f"language: {', '.join(shown) or 'none'}"


def left_out_line(left_out: Mapping[str, int]) -> str:
    """``left out: 12 .pdf, 3 .docx (formats: porism index --help)``, the most frequent endings first."""
    order = sorted(left_out, key=lambda ending: (-left_out[ending], ending))
    shown = [f"{left_out[ending]:,} {ending or 'without ending'}" for ending in order[:MAX_ENDINGS]]
    if rest := sum(left_out[ending] for ending in order[MAX_ENDINGS:]):
        shown.append(f"{rest:,} others")
    return f"left out: {', '.join(shown)} (formats: porism index --help)"


def artifact_lines(artifacts: Sequence[Artifact]) -> list[str]:
    """Tokenizers, embeddings, matrices and models, a line each, and whether they are out of date; none gives none."""
    if not artifacts:
        return []
    names = [f"{one.kind}/{one.name}" for one in artifacts]
    width = max(map(len, names))
    return ["", "artifacts", *(
        f"  {name:<{width}}  {human_bytes(one.size):>9}{f'  ({one.outdated})' if one.outdated else ''}"
        for name, one in zip(names, artifacts, strict=True)
    )]


def problem_lines(found: Sequence[GroupProblems]) -> list[str]:
    """The files with problems, each with what they are."""
    lines: list[str] = []
    for group in found:
        lines.append(f"{group.file} ({group.count:,})")
        lines += [f"  {one_line(Problem(where, what))}" for where, what in group.problems]
        if group.count > len(group.problems):
            lines.append(f"  … and {group.count - len(group.problems):,} more")
    return lines or ["no file has problems"]


def value_lines(values: Mapping[str, int]) -> list[str]:
    """Values of metadata with their documents, the most frequent first."""
    width = max((len(f"{count:,}") for count in values.values()), default=0)
    ordered = sorted(values.items(), key=lambda item: (-item[1], item[0]))
    return [f"{count:>{width},}  {value}" for value, count in ordered]


def _day(seconds: float) -> str:
    from datetime import datetime

    return datetime.fromtimestamp(seconds).astimezone().isoformat(sep=" ", timespec="seconds")
