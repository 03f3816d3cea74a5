"""``porism experiment``: a recipe, run as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from porism.cli.options import jobs_option, json_option, print_json, problems_option
from porism.cli.progress import ProblemLog, compile_once, counting_progress
from porism.cli.terminal import echo, echo_styled, style

if TYPE_CHECKING:
    from porism.lab.recipes import Plan, StageEvent

_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.argument("recipe_path", type=click.Path(path_type=Path), metavar="RECIPE")
@click.option("--plan", "--dry-run", "plan_only", is_flag=True,
              help="Check the recipe, and print the stages and which of them are cached; write nothing.")
@click.option("--only", multiple=True, metavar="NAME",
              help="Make only this system or report, and what it needs; repeatable.")
@click.option("--output", type=_FOLDER, metavar="DIR",
              show_default="RECIPE-results beside the recipe",
              help="Where to put runs, reports, tuned models and record.json.")
@click.option("--cache", type=_FOLDER, metavar="DIR",
              show_default=".porism-cache beside the recipe",
              help="Where to keep results of stages; the folder can be deleted at any time.")
@click.option("--fresh", is_flag=True, help="Make everything again, even if it is cached.")
@jobs_option("Processes that analyse documents, and threads that compare terms.")
@problems_option
@click.option("--quiet", is_flag=True, help="Show no progress bar, and only the tables of the reports.")
@json_option
def experiment(
    recipe_path: Path, plan_only: bool, only: tuple[str, ...], output: Path | None, cache: Path | None, fresh: bool,
    jobs: int | None, problems_path: str | None, quiet: bool, as_json: bool,
) -> None:
    """Run the experiment that the TOML file RECIPE describes.

    It describes collection, tokenizers, embeddings, similarities, topics, systems, tuning and reports. The recipe and
    all files that it names are checked before any work begins, and all errors are reported at once, each with its line.
    Unchanged stages of an earlier start come from the cache; an interrupted experiment continues where it stopped.
    Prints the tables of the reports, and a line for each stage on standard error.
    """
    from porism.lab.recipes import plan_recipe, run_recipe

    log = ProblemLog(problems_path)
    options: dict[str, Any] = {"output": output, "cache": cache, "only": only, "on_problem": log}
    with recipe_errors(log, quiet):
        if plan_only:
            plan = plan_recipe(recipe_path, **options)
            _print_plan(plan, as_json)
            return
        with StageProgress(quiet or as_json) as stages:
            done = run_recipe(recipe_path, fresh=fresh, jobs=jobs, on_event=stages, **options)
    for warning in done.warnings:
        echo(f"Warning: {warning}", err=True)
    if as_json:
        print_json(dict(done.record))
        return
    for report in done.reports.values():
        echo_styled(style(f"» {report.name}: {report.topics}", bold=True))
        echo(report.text)
    if not quiet:
        echo(f"Written: {done.output}", err=True)


@contextmanager
def recipe_errors(log: ProblemLog, quiet: bool) -> Iterator[None]:
    """Prints all errors of a recipe, or how to continue, and reports of skipped parts."""
    from porism.lab.recipes import RecipeError

    try:
        yield
    except RecipeError as error:
        for problem in error.errors:
            echo(f"Error: {problem}", err=True)
        raise click.exceptions.Exit(1) from error
    except KeyboardInterrupt:
        echo("Interrupted. Results so far are kept; the same command continues from there.", err=True)
        raise click.exceptions.Exit(130) from None
    finally:
        if not quiet:
            log.close()


class StageProgress:
    """Shows a bar while a stage is made, and a line for each finished stage."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._stack = ExitStack()
        self._show: Any = None

    def __enter__(self) -> StageProgress:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def __call__(self, event: StageEvent) -> None:
        """Takes one event."""
        unit = 1 << 10 if event.stage.type.counts_bytes else 1
        if event.what == "started":
            compile_once(self._quiet)
            label = f"{event.stage.id}{' (kB)' if unit > 1 else ''}"
            self._show = self._stack.enter_context(counting_progress(label, self._quiet))
        elif event.what == "progress":
            self._show(event.done // unit, (event.total or event.done) // unit)
        else:
            self._stack.close()
            if not self._quiet:
                how = "cached" if event.what == "cached" else f"{event.seconds:.1f} s"
                echo(f"{event.stage.id}: {how}", err=True)


def _print_plan(plan: Plan, as_json: bool) -> None:
    if as_json:
        print_json({
            "stages": [
                {"stage": stage.id, "kind": stage.kind, "key": stage.key, "cached": stage.id in plan.cached}
                for stage in plan.stages
            ],
            "warnings": [str(warning) for warning in plan.warnings],
            "output": str(plan.output),
            "cache": str(plan.cache),
        })
        return
    for stage in plan.stages:
        echo(f"{'cached ' if stage.id in plan.cached else 'to make'}  {stage.id}")
    for warning in plan.warnings:
        echo(f"Warning: {warning}", err=True)
    echo(f"Results: {plan.output}; cache: {plan.cache}", err=True)
