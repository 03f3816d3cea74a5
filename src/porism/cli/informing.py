"""``porism info``: the contents of an index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.options import index_option, json_option, print_json
from porism.cli.progress import counting_progress, one_line
from porism.cli.render import human_bytes
from porism.cli.terminal import echo
from porism.errors import Problem, pluralise

if TYPE_CHECKING:
    from porism.index import IndexInfo
    from porism.index.languages import LanguageOrigins
    from porism.index.report import GroupProblems
    from porism.search.artifacts import Artifact
    from porism.search.checking import CheckReport


@click.command()
@click.argument("path", type=click.Path(path_type=Path), required=False, metavar="[DIR]")
@index_option
@json_option
@click.option("--problems", is_flag=True, help="List the files with problems, and what they are.")
@click.option("--values", "key", metavar="KEY",
              help="List the values of a metadata key, each with its number of documents.")
@click.option("--verify", is_flag=True,
              help="Also read every file and compare it with its checksum, as porism check does.")
def info(path: Path | None, index_path: Path, as_json: bool, problems: bool, key: str | None, verify: bool) -> None:
    """Show what an index contains, and its settings.

    These are documents, fields, formulas, languages, channels with their terms, sources, and sizes on disk; also
    tokenizers, embeddings, similarity matrices and models, with the reason if one is out of date. DIR is the folder of
    the index, as --index DIR.
    """
    from porism.errors import ConfigError
    from porism.index import Snapshot
    from porism.index import info as index_info
    from porism.index.report import metadata_values, source_problems
    from porism.search.artifacts import list_artifacts

    folder = path or index_path
    if problems and key is not None:
        raise click.UsageError("Give --problems or --values, not both.")
    if problems:
        with Snapshot.open(folder) as snapshot:
            groups = source_problems(snapshot)
        print_json([group.to_dict() for group in groups]) if as_json else _print(problem_lines(groups))
        return
    if key is not None:
        with Snapshot.open(folder) as snapshot:
            values = metadata_values(snapshot)
        if key not in values:
            known = ", ".join(values) or "no keys at all"
            raise ConfigError(f"no document has the metadata {key!r}", where=str(folder), hint=f"There are {known}.")
        print_json(values[key]) if as_json else _print(value_lines(values[key]))
        return
    report = index_info(folder)
    artifacts = list_artifacts(folder)
    check = checked(folder, quiet=as_json) if verify else None
    if as_json:
        report_values = {**report.to_dict(), "artifacts": [artifact.to_dict() for artifact in artifacts]}
        print_json({**report_values, "check": check.to_dict()} if check else report_values)
    else:
        from porism.retrieve.meaning.vectors import describe_table

        lines = [*info_lines(report), "", f"meaning: {describe_table(folder)}", *artifact_lines(artifacts)]
        _print([*lines, *(["", *check_lines(check)] if check else [])])
    if check and not check.sound:
        raise click.exceptions.Exit(1)


def _print(lines: list[str]) -> None:
    for line in lines:
        echo(line)


def info_lines(info: IndexInfo) -> list[str]:
    """One fact a line, then the sources, then a table of channels."""
    deleted = f" ({info.deleted:,} deleted documents still take space; porism merge frees it)" if info.deleted else ""
    settings = ", ".join(f"{key} {value}" for key, value in info.config.items() if isinstance(value, str))
    in_channels = {part: size for part, size in info.sizes.items() if part.startswith("channel ")}
    facts = {
        "index": f"{info.path}, format {info.format}, generation {info.generation}",
        "written": f"first {_day(info.created)}, last {_day(info.updated)}",
        "documents": f"{info.documents:,}{deleted}",
        "fields": ", ".join(info.fields) or "none",
        "metadata": ", ".join(f"{key} ({count:,})" for key, count in info.metadata.items()) or "none",
        "formulas": f"{info.formulas:,} distinct, {info.occurrences:,} in all",
        "languages": language_line(info.language_origins).partition(" ")[2],
        "settings": settings,
        "segments": ", ".join(
            f"{count:,} of format {format}"
            for format, count in sorted(Counter(segment.format for segment in info.segments).items())
        ) or "0",
        "size": f"{human_bytes(info.size)}: channels {human_bytes(sum(in_channels.values()))}, " + ", ".join(
            f"{part} {human_bytes(size)}" for part, size in sorted(info.sizes.items(), key=lambda item: -item[1])
            if part not in in_channels
        ),
    }
    lines = [f"{name:<10} {value}" for name, value in facts.items()]
    if info.sources:
        lines += ["", "sources"]
    for source in info.sources:
        problems = f", {pluralise(source.problems, 'problem')} (--problems lists them)" if source.problems else ""
        holds = f"{pluralise(source.documents, 'document')} of {pluralise(source.files, 'file')}"
        lines.append(
            f"  {source.name}: {holds}, {source.format}, "
            f"{'read ' + _day(source.read) if source.read else 'not read completely yet'}{problems}"
        )
        lines.append(f"    {source.path}{'' if source.there else ' (missing now)'}")
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


def language_line(origins: LanguageOrigins) -> str:
    """``languages: 120 documents in English (detected), 14 in French (12 stated, 2 detected)``."""
    from porism.analysis.languages import NO_LANGUAGE

    shown: list[str] = []
    for name, counts in origins.items():
        total = sum(counts.values())
        number = f"{total:,}" if shown else pluralise(total, "document")
        known = ", ".join(
            f"{count:,} {origin}" if count < total else origin for origin, count in counts.items() if origin
        )
        language = "no language" if name == NO_LANGUAGE else name.capitalize()
        shown.append(f"{number} in {language}{known and f' ({known})'}")
    return f"languages: {', '.join(shown) or 'none'}"


def artifact_lines(artifacts: Sequence[Artifact]) -> list[str]:
    """Tokenizers, embeddings, matrices and models, a line each, and whether they are out of date; none gives none."""
    if not artifacts:
        return []
    names = [f"{artifact.kind}/{artifact.name}" for artifact in artifacts]
    width = max(map(len, names))
    return ["", "artifacts", *(
        f"  {name:<{width}}  {human_bytes(artifact.size):>9}{f'  ({artifact.outdated})' if artifact.outdated else ''}"
        for name, artifact in zip(names, artifacts, strict=True)
    )]


def problem_lines(groups: Sequence[GroupProblems]) -> list[str]:
    """The files with problems, and below each its problems."""
    lines: list[str] = []
    for group in groups:
        lines.append(f"{group.file} ({group.count:,})")
        lines += [f"  {one_line(Problem(where, text))}" for where, text in group.problems]
        if group.count > len(group.problems):
            lines.append(f"  … and {group.count - len(group.problems):,} more")
    return lines or ["no file has problems"]


def value_lines(values: Mapping[str, int]) -> list[str]:
    """Values of metadata with their documents, the most frequent first."""
    width = max((len(f"{count:,}") for count in values.values()), default=0)
    ordered = sorted(values.items(), key=lambda item: (-item[1], item[0]))
    return [f"{count:>{width},}  {value}" for value, count in ordered]


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat(sep=" ", timespec="seconds")


@click.command()
@index_option
@click.option("--repair", is_flag=True,
              help="Compute damaged or missing data again that are computed from other files: derived data, and "
                   "similarity matrices whose settings can be read. No other command may write meanwhile.")
@json_option
@click.option("--quiet", is_flag=True, help="Show no progress bar.")
def check(index_path: Path, repair: bool, as_json: bool, quiet: bool) -> None:
    """Read every file of an index and compare it with its checksum.

    Prints a line for each kind of file: manifest, table of sources, segments, deletions, derived data, tokenizers,
    embeddings, similarity matrices, compiled kernels. Names each damaged file with what to do about it, and then exits
    with 1. JSON has files by kind, damages, repaired and sound.
    """
    report = checked(index_path, repair=repair, quiet=quiet)
    if as_json:
        print_json(report.to_dict())
    else:
        for line in check_lines(report):
            echo(line)
    if not report.sound:
        raise click.exceptions.Exit(1)


def checked(path: Path, *, repair: bool = False, quiet: bool = False) -> CheckReport:
    """Checks an index, with a progress bar in megabytes."""
    from porism.search.checking import check_index

    with counting_progress("reading MB", quiet) as progress:
        return check_index(
            path, repair=repair, on_bytes=lambda done, total: progress(done // 1_000_000, -(-total // 1_000_000))
        )


def check_lines(report: CheckReport) -> list[str]:
    """What ``porism check`` prints: a line for each kind of file, then damaged and repaired files."""
    from porism.cli.render import human_bytes

    width = max(len(kind.kind) for kind in report.files)
    lines = [
        f"{kind.kind:<{width}}{kind.files:>8,} {'files' if kind.files != 1 else 'file '}{human_bytes(kind.size):>12}  "
        + (f"{kind.damaged:,} damaged" if kind.damaged else "whole")
        for kind in report.files
    ]
    lines += [f"repaired: {damage.file} ({damage.what})" for damage in report.repaired]
    lines += [f"damaged: {damage}" for damage in report.damages]
    if report.sound:
        lines.append("Every file agrees with its checksum.")
    return lines
