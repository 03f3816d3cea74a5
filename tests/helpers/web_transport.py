"""A transport of httpx that reaches an application without a network."""

from __future__ import annotations

from typing import Any

import httpx
from fastapi.testclient import TestClient


class Through(httpx.BaseTransport):
    """Takes requests to an application without a network."""

    def __init__(self, app: Any) -> None:
        self._client: Any = TestClient(app, base_url="http://localhost", raise_server_exceptions=False)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._client.request(
            request.method, str(request.url), content=request.read(), headers=dict(request.headers)
        )
        headers = {name: value for name, value in answer.headers.items() if name != "content-encoding"}  # it is decoded
        return httpx.Response(answer.status_code, headers=headers, content=answer.content)
