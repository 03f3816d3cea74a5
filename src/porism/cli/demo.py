"""``porism demo``: a first look, offline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.progress import compiling_once
from porism.cli.terminal import echo, echo_styled, style
from porism.errors import pluralise

if TYPE_CHECKING:
    from porism.search.sources.update_run import UpdateReport


DEMO_INDEX = "porism-demo"


def index_sample(index_path: Path) -> UpdateReport:
    """Makes an index of the bundled sample, or brings it up to date."""
    with compiling_once():
        from porism.sample import entries_path
        from porism.search.sources.updating import index_sources

        with entries_path() as path:
            return index_sources([path], index_path, format="jsonl")


@click.command()
@click.option("--index", "index_path", type=click.Path(path_type=Path), default=DEMO_INDEX, show_default=True,
              metavar="DIR", help="Where to put the index of the sample.")
def demo(index_path: Path) -> None:
    """Index the bundled sample and answer a few questions about it."""
    report = index_sample(index_path)
    from porism.cli.render import print_hits
    from porism.sample import DEMO_QUESTIONS
    from porism.search.index import open_index

    with open_index(index_path) as index:
        if report.documents:
            entries = pluralise(report.documents, "entry", "entries")
            formulas = pluralise(report.formulas, "formula")
            echo(f"Indexed {entries} with {formulas} in {report.seconds:.1f} s: {index_path}\n")
        else:
            echo(f"The index of {pluralise(len(index), 'entry', 'entries')} is up to date: {index_path}\n")
        for question in DEMO_QUESTIONS:
            echo_styled(style(f"» {question}", bold=True))
            print_hits(index.search(question, 2))
    question = DEMO_QUESTIONS[0]
    echo("What next:")
    echo(f"  porism search '{question}' --index {index_path} --explain")
    echo(f"  porism search --formulas '$1-\\cos^2 t$' --index {index_path}")
    echo("  porism index YOUR_NOTES --index my-index       (LaTeX, Markdown, notebooks, HTML, JSONL, dumps)")
    echo("  porism search 'words and $formula$' --index my-index")
    echo(f"  porism serve --index {index_path}       (search it in a browser)")
