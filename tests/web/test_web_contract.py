"""The API does what its description says, for whatever is asked (Schemathesis)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")
pytest.importorskip("schemathesis", reason="needs the extra: pip install 'porism[web-test]'")

import schemathesis
from hypothesis import HealthCheck, given, settings
from long_forms import LONG


def test_nothing_that_is_asked_breaks_the_server(library: Any, sample_index: Path) -> None:
    from porism.web.app import create_app
    from porism.web.settings import Limits, WebSettings

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


def exercise(operation: Any, checks: list[Any]) -> None:
    """Calls a route with values of the types that it names, and looks at the answers."""

    @settings(
        max_examples=40 if LONG else 3, deadline=None, database=None, derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def call(case: Any) -> None:
        response = case.call()
        case.validate_response(response, checks=checks)
        if response.status_code >= 400:
            assert set(response.json()["error"]) == {"code", "message", "hint", "details"}

    call()
