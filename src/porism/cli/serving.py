"""``porism serve``: the search pages and the API of an index."""

from __future__ import annotations

from pathlib import Path

import click

from porism.cli.first_use import compile_once
from porism.cli.options import DEFAULT_INDEX, Indexes, IndexPlace, folders
from porism.cli.terminal import echo


@click.command()
@click.option("--index", "indexes", type=IndexPlace(), multiple=True, envvar="PORISM_INDEX", show_envvar=True,
              metavar="DIR|URL",
              help=f"The folder of an index, {DEFAULT_INDEX} by default, or the address of a server that is searched "
                   "too; repeatable.")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
              help="The address to listen at; 0.0.0.0 for all networks.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8470, show_default=True,
              help="The port; 0 for any free one.")
@click.option("--host-name", "host_names", multiple=True, metavar="NAME",
              help="A name by which the server may be called beside localhost; repeatable, * for any.")
@click.option("--title", default="Porism", show_default=True, help="The name on the pages.")
@click.option("--model", "model_name", default="default", show_default=True, metavar="NAME|FILE.toml",
              help="The model of document search: by name or as a file of settings.")
@click.option("--formula-model", metavar="NAME|FILE.toml", help="The same for formula search.")
@click.option("--rerank", "rerankers", multiple=True, metavar="NAME[:SETTING=VALUE;...]",
              help="A reranker that a search can choose for a better order, as porism search --rerank; repeatable.")
@click.option("--editor", type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="FOLDER",
              help="The folder of the npm package mathlive, for a visual formula editor.")
@click.option("--keys", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE",
              help="Answer API requests with a key of this file only.")
@click.option("--ingest", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE",
              help="Let requests with a key of this file add and delete documents.")
@click.option("--judge", "judgments", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER",
              help="Add pages to judge results, and keep questions and judgments in FOLDER.")
@click.option("--judge-model", "judged_models", multiple=True, metavar="NAME|FILE.toml",
              help="A model whose results are judged; repeatable, default and plain if not given.")
@click.option("--run", "runs", type=click.Path(path_type=Path, exists=True), multiple=True, metavar="FILE|FOLDER",
              help="Add pages of these runs, topic by topic; repeatable. They need judgments: --qrels or --judge.")
@click.option("--qrels", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE",
              help="The judgments of the runs, those of --judge if not given.")
@click.option("--topics", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE",
              help="The topics of --qrels: their texts are shown, and results of a search for one marked with grades.")
@click.option("--new-key", metavar="NAME", help="Print a new API key and its line for the file, and end.")
@click.option("--origin", "origins", multiple=True, metavar="URL",
              help="An origin whose pages may call the API (CORS); repeatable.")
@click.option("--rate", type=click.IntRange(0), default=0, show_default="any number", metavar="N",
              help="API requests of one client in a minute.")
@click.option("--workers", type=click.IntRange(1, 256), default=1, show_default=True, metavar="N",
              help="Processes that answer; one for each processor answers most. Not with --ingest, --judge or --rate.")
@click.option("--no-log", is_flag=True, help="Do not log requests.")
def serve(
    indexes: Indexes, host: str, port: int, host_names: tuple[str, ...], title: str, model_name: str,
    formula_model: str | None, rerankers: tuple[str, ...], editor: Path | None, keys: Path | None, ingest: Path | None,
    judgments: Path | None, judged_models: tuple[str, ...], runs: tuple[Path, ...], qrels: Path | None,
    topics: Path | None, new_key: str | None,
    origins: tuple[str, ...], rate: int, workers: int, no_log: bool,
) -> None:
    """Search indexes in a browser: pages, and a REST API beside them.

    The server listens on this machine alone unless --host says otherwise.
    It needs the extra: pip install 'porism[web]'.
    """
    if new_key is not None:
        from porism.serve.web.access import new_key as make_key

        secret, line = make_key(new_key)
        echo(f"The key, which nobody can show again: {secret}")
        echo(f"Its line for the file of --keys:      {line}")
        return
    from dataclasses import replace

    from porism.extras import need

    for module in ("fastapi", "uvicorn", "jinja2", "prometheus_client"):
        need(module, "web", "porism serve")
    from porism.index.joint import names_of
    from porism.serve.web.server import LOOPBACK
    from porism.serve.web.server import serve as run
    from porism.serve.web.settings import JUDGED_MODELS, Limits, WebSettings
    from porism.serve.web.workers import serve_by_workers

    if editor is not None and not (editor / "mathlive.min.js").is_file():
        raise click.UsageError(f"{editor} has no mathlive.min.js. Get the package with: npm pack mathlive")
    if runs and qrels is None and judgments is None:
        raise click.UsageError("--run needs judgments to score the runs with: --qrels FILE or --judge FOLDER.")
    if topics is not None and qrels is None:
        raise click.UsageError("--topics are those of the judgments of --qrels FILE, which is not given.")
    here = folders(tuple(one for one in indexes if isinstance(one, Path)))
    settings = WebSettings(
        names_of(here), replace(Limits(), per_minute=rate), title, model_name, formula_model, rerankers, editor, keys,
        ingest, judgments, judged_models or JUDGED_MODELS, runs, qrels, topics, origins,
        servers=tuple(one for one in indexes if isinstance(one, str)), logs=not no_log,
    )
    names = {name.lower() for name in host_names}
    settings = replace(settings, hosts=(*settings.hosts, *names, *((host,) if host not in ("0.0.0.0", "::") else ())))
    compile_once()

    def ready(url: str) -> None:
        who = "this machine alone" if host in LOOPBACK else "every machine that can reach this one"
        echo(f"Serving {', '.join(settings.indexes)} at {url} for {who}. Ctrl-C ends it.")

    if workers == 1:
        run(settings, host, port, ready)
    else:
        serve_by_workers(settings, host, port, workers, ready)
