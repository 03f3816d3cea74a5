"""The API does what its description says, for whatever is asked (Schemathesis)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")
pytest.importorskip("schemathesis", reason="needs the extra: pip install 'porism[web-test]'")

import schemathesis
from api_contract import exercise


def test_nothing_that_is_asked_breaks_the_server(library: Any, sample_index: Path) -> None:
    from porism.serve.web.app import create_app
    from porism.serve.web.settings import Limits, WebSettings

    limits = Limits(seconds=0.05, alignment_seconds=0.01)
    app = create_app(WebSettings({"sample": sample_index}, limits, hosts=("*",), logs=False), library)
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)
    checks = [schemathesis.checks.not_a_server_error]
    called = set()
    for found in schema.get_all_operations():
        operation = found.ok()
        exercise(operation, checks)
        called.add((operation.method.upper(), operation.path))
    assert ("POST", "/api/v1/search") in called
    assert len(called) >= 17
