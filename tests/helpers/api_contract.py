"""Calls of an API as its description has them (Schemathesis)."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from long_forms import LONG


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
