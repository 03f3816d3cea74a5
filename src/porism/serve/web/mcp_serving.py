"""Runs the tools for language models: on standard input and output, or over HTTP behind the guard of the pages."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any

from porism.extras import need
from porism.serve.web.guarding import App, Guard
from porism.serve.web.mcp_server import make_mcp_server
from porism.serve.web.observing import Metrics
from porism.serve.web.served import Library
from porism.serve.web.server import bind, server_config
from porism.serve.web.settings import WebSettings

if TYPE_CHECKING:
    from mcp.server import MCPServer

MCP_PATH = "/mcp"


def serve_on_stdio(library: Library) -> None:
    """Serves one client on standard input and output, until it closes them."""
    make_mcp_server(library).run("stdio")


def http_app(server: MCPServer, settings: WebSettings) -> App:
    """The tools as an ASGI application at :data:`MCP_PATH`, with the limits, host names and keys of the settings.

    Sessions are kept by nobody, so that any number of servers can stand behind one name.
    """
    from mcp.server.transport_security import TransportSecuritySettings

    checked_already = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # by the guard
    app: Any = server.streamable_http_app(
        streamable_http_path=MCP_PATH, stateless_http=True, json_response=True, transport_security=checked_already,
        max_request_body_size=settings.limits.body_bytes,
    )
    return Guard(app, settings, Metrics())


def serve_on_http(
    settings: WebSettings, host: str, port: int, on_ready: Callable[[str], None] = lambda url: None
) -> None:
    """Serves any number of clients over HTTP until SIGINT or SIGTERM.

    :raises ConfigError: the address cannot be used.
    """
    bound = bind(host, port)
    try:
        with closing(Library(settings.indexes, settings.model, settings.formula_model)) as library:
            app = http_app(make_mcp_server(library, settings.limits), settings)
            shown = f"[{host}]" if ":" in host else host
            on_ready(f"http://{shown}:{bound.getsockname()[1]}{MCP_PATH}")
            need("uvicorn", "web", "the server").Server(server_config(app)).run(sockets=[bound])
    finally:
        bound.close()
