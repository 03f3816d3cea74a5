"""``porism serve`` and ``porism mcp``: pages, an API and tools for language models over indexes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Timer

import click

from porism.cli.demo import DEMO_INDEX, index_sample
from porism.cli.options import DEFAULT_INDEX, Function, Indexes, IndexPlace, all_options, folders
from porism.cli.progress import compile_once
from porism.cli.settings_options import settings_options
from porism.cli.terminal import echo
from porism.serve.web.settings import WebSettings


def address_options(port: int) -> Callable[[Function], Function]:
    """Where a server listens, by default at a ``port``, and what it is called."""
    return all_options(
        click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
                     help="The address to listen at; 0.0.0.0 for all networks."),
        click.option("--port", type=click.IntRange(0, 65_535), default=port, show_default=True,
                     help="The port; 0 for any free one."),
        click.option("--host-name", "host_names", multiple=True, metavar="NAME",
                     help="A name by which the server may be called beside localhost; repeatable, * for any."),
    )


SECONDS_UNTIL_SAID = 2.0
"""Opening that takes longer is said."""

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_MODELS = {"model": "NAME|FILE.toml", "formula_model": "NAME|FILE.toml"}


@click.command()
@click.option("--index", "indexes", type=IndexPlace(), multiple=True, envvar="PORISM_INDEX", show_envvar=True,
              metavar="DIR|URL",
              help=f"The folder of an index, {DEFAULT_INDEX} by default, or the address of a server that is searched "
                   "too; repeatable.")
@address_options(8470)
@settings_options(
    WebSettings({}), omit=("indexes", "limits", "servers", "hosts", "threads", "logs"),
    names={"offered_models": "--offer-model", "rerankers": "--rerank", "judgments": "--judge",
           "judged_models": "--judge-model", "runs": "--run", "origins": "--origin"},
    metavars={**_MODELS, "offered_models": "NAME|FILE.toml", "rerankers": "NAME[:SETTING=VALUE;...]",
              "editor": "FOLDER", "judgments": "FOLDER",
              "judged_models": "NAME|FILE.toml", "runs": "FILE|FOLDER", "origins": "URL"},
    types={"editor": click.Path(path_type=Path, exists=True, file_okay=False),
           "judgments": click.Path(path_type=Path, file_okay=False), "runs": click.Path(path_type=Path, exists=True),
           **dict.fromkeys(("keys", "ingest", "qrels", "topics"), _FILE)},
)
@click.option("--new-key", metavar="NAME", help="Print a new API key and its line for the file, and end.")
@click.option("--rate", type=click.IntRange(0), default=0, show_default="any number", metavar="N",
              help="API requests of one client in a minute.")
@click.option("--workers", type=click.IntRange(1, 256), default=1, show_default=True, metavar="N",
              help="Processes that answer; one for each processor answers most. Not with --ingest or --judge, and with "
                   "--rate only where --public is given, which then counts in each process.")
@click.option("--no-log", is_flag=True, help="Do not log requests.")
def serve(
    indexes: Indexes, host: str, port: int, host_names: tuple[str, ...], settings: WebSettings, new_key: str | None,
    rate: int, workers: int, no_log: bool,
) -> None:
    """Search indexes in a browser: pages, and a REST API beside them.

    The server listens on this machine alone unless --host says otherwise.
    It needs the extra: pip install 'porism[web]'.
    """
    if new_key is not None:
        from porism.serve.web.guarding import new_key as make_key

        secret, line = make_key(new_key)
        echo(f"The key, which nobody can show again: {secret}")
        echo(f"Its line for the file of --keys:      {line}")
        return
    from porism.extras import need

    for module in ("fastapi", "uvicorn", "jinja2", "prometheus_client"):
        need(module, "web", "porism serve")
    from porism.index.joint import names_of
    from porism.serve.web.server import serve as run
    from porism.serve.web.server import serve_by_workers

    if settings.editor is not None and not (settings.editor / "mathlive.min.js").is_file():
        raise click.UsageError(f"{settings.editor} has no mathlive.min.js. Get the package with: npm pack mathlive")
    if settings.runs and settings.qrels is None and settings.judgments is None:
        raise click.UsageError("--run needs judgments to score the runs with: --qrels FILE or --judge FOLDER.")
    if settings.topics is not None and settings.qrels is None:
        raise click.UsageError("--topics are those of the judgments of --qrels FILE, which is not given.")
    indexes = indexes or _offered_sample()
    settings = replace(
        settings, indexes=names_of(folders(tuple(index for index in indexes if isinstance(index, Path)))),
        limits=replace(settings.limits, per_minute=rate), hosts=(*settings.hosts, *_names(host, host_names)),
        servers=tuple(index for index in indexes if isinstance(index, str)), logs=not no_log,
    )
    compile_once()
    opening = Timer(SECONDS_UNTIL_SAID, echo, [f"Opening {', '.join(settings.indexes)}: postings, statistics, models."],
                    {"err": True})
    opening.daemon = True
    opening.start()

    def ready(url: str) -> None:
        opening.cancel()
        _say_ready(settings, host, url)

    try:
        if workers == 1:
            run(settings, host, port, ready)
        else:
            serve_by_workers(settings, host, port, workers, ready)
    finally:
        opening.cancel()


def _offered_sample() -> Indexes:
    """The index of the sample, if the user wants it where there is no index at the usual place; else none.

    :raises IndexNotFound: there is no index, and the user does not want it or cannot be asked.
    """
    from porism.errors import IndexNotFound
    from porism.search.sources.indexing import is_index

    if is_index(Path(DEFAULT_INDEX)):
        return ()
    sample = Path(DEMO_INDEX)
    question = f"There is no index here yet. Serve the bundled sample (in {sample})?"
    if not sys.stdin.isatty() or not click.confirm(question, default=True):
        raise IndexNotFound(
            "there is no index", where=DEFAULT_INDEX,
            hint=f"Make one: porism index YOUR_NOTES. To look at the sample first: porism demo, then porism serve "
            f"--index {sample}.",
        )
    index_sample(sample)
    return (sample,)


def _names(host: str, host_names: Iterable[str]) -> tuple[str, ...]:
    """The names by which a server may be called beside those of this machine."""
    return (*map(str.lower, host_names), *(() if host in ("0.0.0.0", "::") else (host,)))


def _say_ready(settings: WebSettings, host: str, url: str) -> None:
    from porism.serve.web.server import LOOPBACK

    audience = "this machine alone" if host in LOOPBACK else "every machine that can reach this one"
    echo(f"Serving {', '.join(settings.indexes)} at {url} for {audience}. Ctrl-C ends it.")


@click.command()
@click.option("--index", "index_paths", type=click.Path(path_type=Path), multiple=True, envvar="PORISM_INDEX",
              show_envvar=True, metavar="DIR", help=f"The folder of an index, {DEFAULT_INDEX} by default; repeatable.")
@click.option("--http", is_flag=True, help="Serve over HTTP at /mcp, not on standard input and output.")
@address_options(8471)
@settings_options(WebSettings({}), only=("model", "formula_model", "keys"), metavars=_MODELS, types={"keys": _FILE})
@click.option("--log", is_flag=True, help="Log requests over HTTP, a line of JSON each.")
def mcp(
    index_paths: tuple[Path, ...], http: bool, host: str, port: int, host_names: tuple[str, ...],
    settings: WebSettings, log: bool,
) -> None:
    """Let language models search indexes, fetch documents and compare formulas, by the Model Context Protocol.

    Without --http a client, such as an editor or an assistant, starts this command itself and talks to it on standard
    input and output. Needs pip install 'porism[web]'.
    """
    from contextlib import closing

    from porism.extras import need

    for module in ("fastapi", "uvicorn", "mcp.server"):
        need(module, "web", "porism mcp")
    from porism.index.joint import names_of
    from porism.serve.web.mcp_server import serve_on_http, serve_on_stdio
    from porism.serve.web.served import Library

    indexes = names_of(index_paths or (Path(DEFAULT_INDEX),))
    compile_once()
    if not http:
        with closing(Library(indexes, settings.model, settings.formula_model)) as library:
            serve_on_stdio(library)
        return
    settings = replace(settings, indexes=indexes, hosts=(*settings.hosts, *_names(host, host_names)), logs=log)
    serve_on_http(settings, host, port, partial(_say_ready, settings, host))
