"""The options that say how sources are read, shared by the commands that read them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from porism.cli.settings_options import settings_options
from porism.corpus.base import ReaderOptions


def reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options to a command, which gets ``format_name`` and ``options`` (a ReaderOptions)."""
    function = settings_options(
        ReaderOptions, into="options", omit=("collection",),
        names={"fields": "--field", "metadata_fields": "--metadata-field"},
        metavars={"fields": "NAME=KEY", "id_field": "KEY", "metadata_fields": "KEY", "encoding": "NAME",
                  "max_unpacked": "BYTES"},
    )(function)
    return click.option("--format", "format_name", metavar="NAME", show_default="detected from names and content",
                        help="The format of the sources.")(function)
