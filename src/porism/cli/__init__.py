"""The command ``porism``: parses arguments, calls the library, prints.

The module of a command is imported when the command is called (:mod:`porism.cli.grouping`), and imports the library
inside its functions, so that help answers at once.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

import click

from porism.cli.grouping import CommandEntry, SectionedGroup
from porism.cli.terminal import echo
from porism.errors import PorismError
from porism.version import __version__

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


TERMINATED = 143
"""The exit status of a command that SIGTERM has ended: 128 and its number, as shells have it."""

SECTIONS = {
    "Search": {
        "demo": CommandEntry("demo:demo", "Index the bundled sample, and answer questions about it."),
        "search": CommandEntry("searches:search", "Find documents, or formulas, by words and formulas."),
        "open": CommandEntry("opening:open_result", "Open a result in the editor or the browser."),
        "pattern": CommandEntry("patterns:pattern", "Find statements by the form of hypotheses and conclusion."),
        "similar": CommandEntry("searches:similar", "Find documents like one of the index."),
        "show": CommandEntry("relating:show", "Show a document, and what it is related to."),
        "serve": CommandEntry("serving:serve", "Search in a browser, and over a REST API."),
        "mcp": CommandEntry("serving:mcp", "Let language models search, by the Model Context Protocol."),
        "parse": CommandEntry("parsing:parse", "Show how a formula is read: its trees, its MathML."),
        "equal": CommandEntry("equality:equal", "Say whether two formulas are equal, and in which sense."),
    },
    "Collections": {
        "index": CommandEntry("indexes:index", "Add files or folders to an index, or update them in it."),
        "update": CommandEntry("indexes:update", "Bring an index up to date with its sources."),
        "watch": CommandEntry("indexes:watch", "Keep an index in step with its sources as they change."),
        "info": CommandEntry("informing:info", "Show what an index contains."),
        "duplicates": CommandEntry("relating:duplicates", "List statements and formulas that are there twice."),
        "check": CommandEntry("informing:check", "Read every file of an index, and repair what can be."),
        "delete": CommandEntry("indexes:delete", "Delete documents by id, metadata or source."),
        "merge": CommandEntry("indexes:merge", "Merge an index into one segment."),
        "expand": CommandEntry("expanding:expand", "Let a model write queries for documents (doc2query)."),
        "export": CommandEntry("exporting:export", "Copy an index to a search engine, or to a static site."),
    },
    "Models": {
        "train": CommandEntry("training:train", "Learn models from the texts and formulas of an index."),
        "encode": CommandEntry("encoding:encode", "Encode documents, to search them by meaning."),
        "neighbours": CommandEntry("training_vectors:neighbours", "Show the terms whose vectors are nearest to one's."),
        "similarities": CommandEntry("similarities:similarities", "Build or show a matrix of similar terms."),
    },
    "Experiments": {
        "run": CommandEntry("experiments:run", "Answer a file of topics, and write a run file."),
        "evaluate": CommandEntry("experiments:evaluate", "Score a run file by judgments."),
        "rerank": CommandEntry("reranking:rerank", "Re-rank the first results of a run."),
        "fuse": CommandEntry("fusing:fuse", "Fuse run files into one."),
        "aggregate": CommandEntry("aggregating:aggregate", "Aggregate pairwise scores into a run."),
        "flips": CommandEntry("aggregating:flips", "Count the pairs about which a model contradicts itself."),
        "compare": CommandEntry("comparing:compare", "Compare run files: measures, tests, breakdowns, plots."),
        "experiment": CommandEntry("experimenting:experiment", "Run the experiment that a recipe (TOML) describes."),
        "reproduce": CommandEntry("reproducing:reproduce", "Reproduce the systems and tables of a paper."),
    },
}


@click.group(cls=SectionedGroup, sections=SECTIONS, context_settings=CONTEXT)
@click.version_option(__version__, prog_name="porism")
def porism() -> None:
    """Find mathematics by words and formulas.

    \b
    porism demo                                         a first look, offline, in seconds
    porism index NOTES --index DIR                      make an index of your own texts
    porism search 'words and $formula$' --index DIR     ask it
    """


def _show(error: click.ClickException) -> None:
    """Prints an error of usage, without the control characters of arguments."""
    shown = io.StringIO()
    error.show(file=shown)
    echo(shown.getvalue(), err=True, nl=False)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and exits.

    The exit status is 0, 1 after an error (one line on standard error), 2 for wrong usage, 130 after Ctrl-C and 143
    after SIGTERM. Both signals let a command keep what it has done.
    """
    _make_output_total()
    with interrupted_by_sigterm() as terminations:
        sys.unraisablehook = _interrupt_again
        try:
            _main(arguments)
        except SystemExit:
            if terminations.received:
                sys.exit(TERMINATED)
            raise
        finally:
            sys.unraisablehook = sys.__unraisablehook__


def _make_output_total() -> None:
    """Lets any text be printed: as ``\\u2265`` where the encoding lacks a character, nowhere if output is closed."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # as after >&-; a file that is opened later must not get its number
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 (open as long as the process)
        elif isinstance(stream, io.TextIOWrapper) and codecs.lookup(stream.encoding).name != "utf-8":
            stream.reconfigure(errors="backslashreplace")


def _interrupt_again(ignored: sys.UnraisableHookArgs) -> None:
    """Repeats a Ctrl-C that came where Python cannot raise it, such as in a destructor, and would only report it."""
    if issubclass(ignored.exc_type, KeyboardInterrupt):
        threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()
    else:
        sys.__unraisablehook__(ignored)


def _main(arguments: Sequence[str] | None) -> None:
    try:
        status = porism.main(args=list(arguments) if arguments is not None else None, standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort:
        echo("Interrupted.", err=True)
        sys.exit(130)
    except click.ClickException as error:
        _show(error)
        sys.exit(error.exit_code)
    except PorismError as error:
        echo(f"Error: {error}", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        echo("Interrupted.", err=True)
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output (head, less) has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except OSError as error:
        reason = "the disk is full" if error.errno == errno.ENOSPC else (error.strerror or str(error))
        echo(f"Error: {error.filename or 'system'}: {reason}.", err=True)
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)


class Terminations:
    """Whether SIGTERM was received."""

    received = False


@contextmanager
def interrupted_by_sigterm() -> Iterator[Terminations]:
    """While the block runs, SIGTERM raises KeyboardInterrupt in it, so that a command keeps its results as at Ctrl-C.

    A handler that the program has set stays.
    """
    terminations = Terminations()
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield terminations
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        terminations.received = True
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield terminations
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
