"""The command ``porism``: parses arguments, calls the library, prints.

Command modules import the library inside their functions, so that ``porism --help`` answers at once.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence

import click

from porism.cli.aggregating import aggregate, flips
from porism.cli.checking import check
from porism.cli.comparing import compare
from porism.cli.demo import demo
from porism.cli.encoding import encode
from porism.cli.expanding import expand
from porism.cli.experimenting import experiment
from porism.cli.experiments import evaluate, run
from porism.cli.exporting import export
from porism.cli.fusing import fuse
from porism.cli.grouping import SectionedGroup
from porism.cli.indexes import delete, index, merge, update
from porism.cli.informing import info
from porism.cli.language_tools import mcp
from porism.cli.opening import open_result
from porism.cli.parsing import parse
from porism.cli.reproducing import reproduce
from porism.cli.reranking import rerank
from porism.cli.searches import search, similar
from porism.cli.serving import serve
from porism.cli.signals import TERMINATED, interrupted_by_sigterm
from porism.cli.similarities import similarities
from porism.cli.terminal import echo
from porism.cli.training import train
from porism.cli.training_encoders import encoder
from porism.cli.training_formulas import formula_encoder
from porism.cli.training_language import language_model
from porism.cli.training_neural import decontextualised, extended
from porism.cli.training_pairs import pairs
from porism.cli.training_rerankers import reranker
from porism.cli.training_tokenizers import tokenizer
from porism.cli.training_vectors import fasttext, neighbours, positional, word2vec
from porism.cli.watching import watch
from porism.errors import PorismError
from porism.version import __version__

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


@click.group(cls=SectionedGroup, context_settings=CONTEXT)
@click.version_option(__version__, prog_name="porism")
def porism() -> None:
    """Find mathematics by words and formulas.

    \b
    porism demo                                         a first look, offline, in seconds
    porism index NOTES --index DIR                      make an index of your own texts
    porism search 'words and $formula$' --index DIR     ask it
    """


porism.add_section("Search", demo, search, open_result, similar, serve, mcp, parse)
porism.add_section("Collections", index, update, watch, info, check, delete, merge, expand, export)
porism.add_section("Models", train, encode, neighbours, similarities)
porism.add_section("Experiments", run, evaluate, rerank, fuse, aggregate, flips, compare, experiment, reproduce)
for method in (
    word2vec, fasttext, positional, decontextualised, tokenizer, extended, pairs, encoder, language_model,
    formula_encoder, reranker,
):
    train.add_command(method)


def _show(error: click.ClickException) -> None:
    """Prints what is wrong with a command, without the control characters of its arguments."""
    shown = io.StringIO()
    error.show(file=shown)
    echo(shown.getvalue(), err=True, nl=False)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line; exits with 0, 1 after an error (one line on standard error), 2 for wrong usage, 130 after
    Ctrl-C and 143 after SIGTERM, which both let a command keep what it has done."""
    with interrupted_by_sigterm() as terminations:
        try:
            _main(arguments)
        except SystemExit:
            if terminations.came:
                sys.exit(TERMINATED)
            raise


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
