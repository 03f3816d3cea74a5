"""``porism info``: what an index holds."""

from __future__ import annotations

from pathlib import Path

import click

from porism.cli.checking import check_lines, checked
from porism.cli.options import index_option, json_option, print_json
from porism.cli.terminal import echo


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
    from porism.cli.info_lines import artifact_lines, info_lines, problem_lines, value_lines
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
            found = source_problems(snapshot)
        print_json([entry.to_dict() for entry in found]) if as_json else _print(problem_lines(found))
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
        found_all = {**report.to_dict(), "artifacts": [one.to_dict() for one in artifacts]}
        print_json({**found_all, "check": check.to_dict()} if check else found_all)
    else:
        _print([*info_lines(report), *artifact_lines(artifacts), *(["", *check_lines(check)] if check else [])])
    if check and not check.sound:
        raise click.exceptions.Exit(1)


def _print(lines: list[str]) -> None:
    for line in lines:
        echo(line)
