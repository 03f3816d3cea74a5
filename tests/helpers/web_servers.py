"""A server in a thread, for tests that need a real connection."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

Open = Callable[..., Any]
"""Opens a page of a server in a browser: ``opened("/search?q=x", color_scheme="dark")``."""


@contextmanager
def running(app: Any) -> Iterator[str]:
    """The address of a server of an application while the block runs, without the last slash."""
    import uvicorn

    from porism.serve.web.server import bind, server_config

    bound = bind("127.0.0.1", 0)
    server = uvicorn.Server(server_config(app))
    thread = Thread(target=server.run, args=[[bound]], daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
        bound.close()


@contextmanager
def serving(indexes: dict[str, Path], **settings: Any) -> Iterator[str]:
    """Serves the pages and the API of indexes while the block runs; the address."""
    from porism.serve.web.app import create_app
    from porism.serve.web.settings import WebSettings

    with running(create_app(WebSettings(indexes, logs=False, **settings))) as address:
        yield address
