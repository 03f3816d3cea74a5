"""``porism mcp``: search as a tool of language models."""

from __future__ import annotations

from pathlib import Path

import click

from porism.cli.first_use import compile_once
from porism.cli.options import DEFAULT_INDEX
from porism.cli.terminal import echo


@click.command()
@click.option("--index", "index_paths", type=click.Path(path_type=Path), multiple=True, envvar="PORISM_INDEX",
              show_envvar=True, metavar="DIR", help=f"The folder of an index, {DEFAULT_INDEX} by default; repeatable.")
@click.option("--model", "model_name", default="default", show_default=True, metavar="NAME|FILE.toml",
              help="The model of document search: by name or as a file of settings.")
@click.option("--formula-model", metavar="NAME|FILE.toml", help="The model of formula search, likewise.")
@click.option("--http", is_flag=True, help="Serve over HTTP at /mcp, not on standard input and output.")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8471, show_default=True,
              help="The port; 0 for any free one.")
@click.option("--host-name", "host_names", multiple=True, metavar="NAME",
              help="A name of the server besides localhost; repeatable, * for any.")
@click.option("--keys", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE",
              help="Answer only requests with a key of this file (porism serve --new-key makes one), in the header "
                   "Authorization: Bearer KEY or X-API-Key.")
@click.option("--log", is_flag=True, help="Log requests over HTTP, a line of JSON each.")
def mcp(
    index_paths: tuple[Path, ...], model_name: str, formula_model: str | None, http: bool, host: str, port: int,
    host_names: tuple[str, ...], keys: Path | None, log: bool,
) -> None:
    """Let language models search indexes, fetch documents and compare formulas, by the Model Context Protocol.

    Without --http a client, such as an editor or an assistant, starts this command itself and talks to it on standard
    input and output. Needs pip install 'porism[web]'.
    """
    from contextlib import closing
    from dataclasses import replace

    from porism.extras import need

    for module in ("fastapi", "uvicorn", "mcp.server"):
        need(module, "web", "porism mcp")
    from porism.index.joint import names_of
    from porism.serve.web.mcp_serving import serve_on_http, serve_on_stdio
    from porism.serve.web.served import Library
    from porism.serve.web.server import LOOPBACK
    from porism.serve.web.settings import WebSettings

    indexes = names_of(index_paths or (Path(DEFAULT_INDEX),))
    compile_once()
    if not http:
        with closing(Library(indexes, model_name, formula_model)) as library:
            serve_on_stdio(library)
        return
    names = (*map(str.lower, host_names), *(() if host in ("0.0.0.0", "::") else (host,)))
    settings = WebSettings(indexes, model=model_name, formula_model=formula_model, keys=keys, logs=log)
    settings = replace(settings, hosts=(*settings.hosts, *names))

    def ready(url: str) -> None:
        audience = "this machine alone" if host in LOOPBACK else "every machine that can reach this one"
        echo(f"Serving {', '.join(settings.indexes)} at {url} for {audience}. Ctrl-C ends it.")

    serve_on_http(settings, host, port, ready)
