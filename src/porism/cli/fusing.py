"""``porism fuse``: several runs become one."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.options import check_outputs, list_option, quiet_option
from porism.cli.progress import ProblemLog, compile_once
from porism.cli.terminal import echo
from porism.errors import pluralise

if TYPE_CHECKING:
    from porism.lab.evaluate import Qrels
    from porism.lab.fusion import FittedFusion, Fusion, LearnedFusion
    from porism.runs.run import Run


@click.command()
@click.argument("run_paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option("--method", default="rrf", show_default=True, metavar="NAME", help="How to fuse; --list shows all.")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE",
              help="A parameter of the method, e.g. k=60, norm=z-score or weights=0.7,0.3 (one a run); repeatable.")
@click.option("--output", required=True, type=click.Path(path_type=Path), metavar="RUN", help="The TREC run to write.")
@click.option("--depth", type=click.IntRange(min=1), default=1000, show_default=True, metavar="N",
              help="Results of a topic.")
@click.option("--ranks", type=click.Choice(["position", "file"]), default="position", show_default=True,
              help="Ranks are positions by score, or those of the rank column, if results were removed from the runs.")
@click.option("--name", metavar="NAME", show_default="the method", help="The name of the new run, its last column.")
@click.option("--qrels", "qrels_path", type=click.Path(path_type=Path), metavar="FILE",
              help="Judgments to learn from, for the methods rbc and wibc.")
@click.option("--train-topics", metavar="TOPICS",
              show_default="all judged topics but those of --validation-topics",
              help="Topics to learn from: a file of ids, ids separated by commas, or a share such as 0.7.")
@click.option("--validation-topics", metavar="TOPICS",
              help="Topics by which rbc chooses its model, in the same forms; a share is drawn from the rest. Without "
                   "them it cross-validates the training topics.")
@click.option("--folds", type=click.IntRange(min=2), metavar="N",
              help="Cross-validate: each of N parts of the training topics is fused by a model of the other parts.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, metavar="N",
              help="Other numbers draw other shares and folds.")
@click.option("--store", "store_path", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the fitted regression as JSON; linear models only.")
@click.option("--fitted", "fitted_path", type=click.Path(path_type=Path), metavar="FILE",
              help="A stored regression for rbc or wibc, in place of judgments.")
@list_option("porism.lab.fusion:FUSIONS", "methods with their parameters")
@quiet_option
def fuse(
    run_paths: tuple[Path, ...], method: str, assignments: tuple[str, ...], output: Path, depth: int, ranks: str,
    name: str | None, qrels_path: Path | None, train_topics: str | None, validation_topics: str | None,
    folds: int | None, seed: int, store_path: Path | None, fitted_path: Path | None, quiet: bool,
) -> None:
    """Fuse the run files RUN... into one.

    Runs may have different depths and topics. Beside the new run a record is written: the method, its parameters, the
    runs, and the topics that it learnt from. porism evaluate and porism compare read it.
    """
    import time

    from porism.corpus import read_qrels
    from porism.lab.fusion import LEARNED, LearnedFusion, cross_validate_fusion, make_fusion
    from porism.settings import parse_assignments

    learning = {"--train-topics": train_topics, "--validation-topics": validation_topics, "--folds": folds,
                "--store": store_path}
    if qrels_path is None and (given := [option for option, value in learning.items() if value is not None]):
        raise click.UsageError(f"{given[0]} works with --qrels only.")
    if fitted_path is not None and qrels_path is not None:
        raise click.UsageError("--fitted and --qrels exclude each other: the regression is stored or fitted.")
    if folds is not None and (validation_topics is not None or store_path is not None):
        raise click.UsageError("--folds fits several regressions; it goes without --validation-topics and --store.")
    fusion = make_fusion(method, parse_assignments(assignments))
    learned = fusion if isinstance(fusion, LearnedFusion) else None
    if learned is None and (qrels_path is not None or fitted_path is not None):
        raise click.UsageError(f"{method} learns nothing from judgments; {' and '.join(LEARNED)} do.")
    check_files([*run_paths, qrels_path, fitted_path])
    check_folders([output, store_path])
    check_outputs({"--output": output, "--store": store_path}, run_paths, (qrels_path, fitted_path))
    if fitted_path is not None and learned is not None:
        fusion = _stored(fitted_path, learned)
    qrels = read_qrels(qrels_path) if qrels_path is not None else {}
    training, held = _split_topics(qrels, train_topics, validation_topics, seed)
    log = ProblemLog()
    runs = _read(run_paths, ranks, log)
    compile_once(quiet, fusing=True)
    started = time.monotonic()
    if learned is None or qrels_path is None:
        fused = fusion.fuse(runs, depth=depth, name=name)
    elif folds is not None:
        fused = cross_validate_fusion(learned, runs, qrels, training, folds=folds, seed=seed, depth=depth, name=name)
    else:
        fitted = learned.fit(runs, qrels, training, validation_topics=held)
        if store_path is not None:
            _store(store_path, fitted)
        fused = fitted.fuse(runs, depth=depth, name=name)
    seconds = time.monotonic() - started
    fused.write(output)
    log.close()
    if quiet:
        return
    size = f"{pluralise(len(fused), 'topic')}, {pluralise(len(fused.doc_ids), 'result')}"
    echo(f"{pluralise(len(runs), 'run')} fused by {method}: {size} in {seconds:.1f} s: {output}")
    for line in _warnings(runs, fused, (*training, *held) if folds is None else ()):
        echo(line, err=True)


def check_files(paths: Iterable[Path | None]) -> None:
    """Refuses missing files, before any file is read.

    :raises SourceError: one is missing or a folder.
    """
    from porism.errors import SourceError

    for path in filter(None, paths):
        if path.is_dir():
            raise SourceError("this is a folder, not a file", where=str(path))
        if not path.exists():
            raise SourceError("this file does not exist", where=str(path))


def check_folders(paths: Iterable[Path | None]) -> None:
    """Refuses files to write in missing folders, before any work.

    :raises SourceError: the folder is missing, or the file is a folder.
    """
    from porism.errors import SourceError

    for path in filter(None, paths):
        if not path.parent.is_dir():
            raise SourceError("this folder does not exist", where=str(path.parent))
        if path.is_dir():
            raise SourceError("this is a folder, not a file to write", where=str(path))


def _read(paths: Sequence[Path], ranks: str, log: ProblemLog) -> list[Run]:
    """The runs, of which some share a topic.

    :raises QueryError: there are several, and no topic is in more than one.
    """
    from collections import Counter

    from porism.errors import QueryError
    from porism.runs.run import Run

    runs = [Run.read(path, log, ranks=ranks) for path in paths]  # type: ignore[arg-type]  # click checked it
    counts = Counter(topic for run in runs for topic in run)
    if sum(len(run) > 0 for run in runs) > 1 and max(counts.values()) == 1:
        raise QueryError(
            "no topic is in more than one of the runs",
            hint="They have " + "; ".join(f"{path.name} {next(iter(run), 'none')}, …"
                                          for path, run in zip(paths, runs, strict=True)) + ".",
        )
    return runs


def _split_topics(qrels: Qrels, training: str | None, validation: str | None, seed: int) -> tuple[list[str], list[str]]:
    """Training and validation topics as the options name them; shares are drawn from the other topics."""
    judged = list(qrels)
    train_share = _share(training, "--train-topics")
    held_share = _share(validation, "--validation-topics")
    held = [] if validation is None or held_share else _named(validation, judged, "--validation-topics")
    chosen = [] if training is None or train_share else _named(training, judged, "--train-topics")
    if train_share:
        chosen = _drawn(train_share, judged, held, seed)
    if held_share:
        held = _drawn(held_share, judged, chosen, seed)
    if training is None:
        chosen = [topic for topic in judged if topic not in set(held)]
    return chosen, held


def _share(given: str | None, option: str) -> float | None:
    """The share that an option gives; None if it names topics.

    :raises ConfigError: it is not between 0 and 1.
    """
    from porism.errors import ConfigError

    try:
        share = float(given or "")
    except ValueError:
        return None
    if Path(given or "").is_file() or (share > 1 and share.is_integer()):  # a topic can be a whole number
        return None
    if not 0 < share < 1:
        raise ConfigError(f"{option} is {given}", hint="A share is between 0 and 1; else name topics or their file.")
    return share


def _drawn(share: float, judged: Sequence[str], taken: Sequence[str], seed: int) -> list[str]:
    """A share of the judged topics out of those that are not taken; their order changes nothing.

    :raises ConfigError: none is left.
    """
    from porism.errors import ConfigError

    left = sorted(set(judged) - set(taken))
    if not left:
        raise ConfigError("no topic is left to draw a share from", hint="Give less to the other part.")
    return sorted(random.Random(seed).sample(left, min(max(1, round(share * len(judged))), len(left))))


def _named(given: str, judged: Sequence[str], option: str) -> list[str]:
    """Topics from a file of ids, or ids by commas.

    :raises ConfigError: a topic has no judgments, or none is named.
    """
    from porism.errors import ConfigError
    from porism.settings import nearest
    from porism.system.files.text import read_lines

    is_file = Path(given).is_file()
    text = " ".join(line for _, line in read_lines(given)) if is_file else given
    topics = text.replace(",", " ").split()
    known = set(judged)
    for topic in topics:
        if topic not in known:
            lacking = "no judgments" if is_file else "no judgments, and no file has this name"
            raise ConfigError(f"{option}: topic {topic!r} has {lacking}", hint=nearest(topic, judged[:20]))
    if not topics:
        raise ConfigError(f"{option} names no topic", hint="It is a file of ids, ids by commas, or a share.")
    return topics


def _store(path: Path, fitted: FittedFusion) -> None:
    import orjson

    from porism.system.files.text import write_whole

    write_whole(path, orjson.dumps(fitted.to_dict(), option=orjson.OPT_INDENT_2) + b"\n")


def _stored(path: Path, fusion: LearnedFusion) -> Fusion:
    """The fusion with the regression of a file.

    :raises FormatError: the file has no such regression.
    """
    import orjson

    from porism.errors import ConfigError, FormatError, SourceError

    try:
        return fusion.restored(orjson.loads(path.read_bytes()))
    except OSError as error:
        raise SourceError(f"cannot be read ({error.strerror or error})", where=str(path)) from error
    except orjson.JSONDecodeError as error:
        raise FormatError(f"this is not JSON ({error})", where=str(path)) from error
    except ConfigError as error:
        raise FormatError(error.what, where=str(path), hint=error.hint) from error


def _warnings(runs: Sequence[Run], fused: Run, learnt_from: Sequence[str]) -> list[str]:
    notes: list[str] = []
    for run in runs:
        lengths = zip(run.query_ids, run.offsets[1:] - run.offsets[:-1], strict=True)
        lacking = len(set(fused) - {topic for topic, length in lengths if length})
        if lacking:
            notes.append(f"{run.name} has no results for {lacking:,} of the {pluralise(len(fused), 'topic')}")
    if seen := len(set(learnt_from).intersection(fused)):
        are = "is" if seen == 1 else "are"
        notes.append(f"{seen:,} of the {pluralise(len(fused), 'topic')} {are} ranked by what was learnt from them: "
                     "their measures say nothing; see --folds")
    return notes
