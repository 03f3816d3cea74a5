"""``porism train formula-encoder``: vectors of formulas that are learnt from equal and nearly equal ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from porism.cli.encoding import encode_and_report
from porism.cli.options import index_option
from porism.cli.progress import phase_progress
from porism.cli.terminal import echo
from porism.cli.training_summary import echo_training, losses
from porism.errors import counted


@click.command("formula-encoder")
@click.argument("name")
@index_option
@click.option("--output", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
              help="The folder of the model; if not given, in that of the index, whose formulas are then encoded.")
@click.option("--topics", multiple=True, type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE",
              help="Topics whose formulas are not trained on; repeatable.")
@click.option("--dimensions", type=int, default=128, show_default=True, help="Numbers of a vector.")
@click.option("--layers", type=int, default=1, show_default=True, help="Layers of attention between nodes.")
@click.option("--heads", type=int, default=4, show_default=True, help="Heads of a layer.")
@click.option("--width", type=int, default=256, show_default=True, help="Numbers inside a layer.")
@click.option("--nodes", type=int, default=96, show_default=True, help="Nodes of a formula that are read.")
@click.option("--min-count", "least", type=int, default=3, show_default=True,
              help="Labels in fewer formulas are read by their kind alone.")
@click.option("--most", type=int, default=None, show_default="all",
              help="Formulas that are trained on at most, by chance where there are more.")
@click.option("--variants", type=int, default=2, show_default=True,
              help="Equal formulas that are made of each, and nearly equal ones.")
@click.option("--epochs", type=int, default=1, show_default=True, help="How often each formula is seen.")
@click.option("--steps", type=int, default=None, show_default="all", help="Ends the training earlier.")
@click.option("--batch", type=int, default=192, show_default=True, help="Formulas of a step.")
@click.option("--part", type=int, default=None, show_default="all", help="Formulas of a batch in memory at once.")
@click.option("--rate", type=float, default=1e-3, show_default=True, help="The highest learning rate.")
@click.option("--temperature", type=float, default=0.1, show_default=True, help="What cosines are divided by.")
@click.option("--hard", type=float, default=0.3, show_default=True,
              help="How much a nearly equal formula counts beside another one of the batch.")
@click.option("--identical", type=float, default=0.0, show_default=True, metavar="SHARE",
              help="Equal formulas that are the formula itself.")
@click.option("--held-out", type=int, default=500, show_default=True,
              help="Formulas that measure what was learnt, and are not trained on.")
@click.option("--precision", type=click.Choice(["auto", "float32", "bfloat16", "float16"]), default="float32",
              show_default=True, help="Numbers that training computes with.")
@click.option("--device", default="auto", show_default=True, metavar="NAME", help="auto, cpu, cuda, cuda:1, …")
@click.option("--jobs", type=int, default=None, help="Processes that make variants; all processors by default.")
@click.option("--seed", type=int, default=1, show_default=True, help="Other numbers train other models.")
@click.option("--restart", is_flag=True, help="Begin anew where training was interrupted before.")
@click.option("--quiet", is_flag=True, help="No progress bar and no summary.")
def formula_encoder(
    name: str, index_path: Path, output: Path | None, topics: tuple[Path, ...], device: str, jobs: int | None,
    restart: bool, quiet: bool, **given: Any,
) -> None:
    """Learn vectors of formulas from the formulas of an index, and keep the model there as NAME.

    Formulas that mean the same (renamed, reordered, written differently, or of one value) shall be near to each other,
    and nearer than some that nearly are the same. After an interruption the same command goes on where it was. It
    needs torch and transformers (pip install 'porism[neural]'); searching by the vectors does not need torch.
    """
    from porism.lab.train.formulas.settings import FormulaTraining
    from porism.lab.train.formulas.training import train_formula_encoder
    from porism.system.files.artifacts import MODELS
    from porism.vectors.neural.formula_encoder import FormulaNetwork

    target = output if output is not None else index_path / MODELS.folder / MODELS.check_name(name)
    network = FormulaNetwork(**{key: given.pop(key) for key in ("dimensions", "layers", "heads", "width", "nodes")})
    with phase_progress(("variants", "training"), quiet) as (reading, training):
        report = train_formula_encoder(
            index_path, target, FormulaTraining(network=network, **given), topics=topics, jobs=jobs, device=device,
            restart=restart, on_reading=reading, on_progress=training, on_note=lambda note: echo(note, err=True),
        )
    done = [f"{losses(report)}: {target}"]
    if report.before is not None and report.after is not None:
        done.append(
            f"of formulas held out, the equal one is nearest to {report.before.found:.3f} before and "
            f"{report.after.found:.3f} after, and nearer than a nearly equal one to {report.before.apart:.3f} and "
            f"{report.after.apart:.3f}"
        )
    echo_training(
        report, quiet, f"; {counted(report.formulas, 'formula')} with variants, {report.alone:,} without, "
        f"{report.excluded:,} excluded", *done,
    )
    if output is None:
        encode_and_report(index_path, str(target), quiet, name=name)
