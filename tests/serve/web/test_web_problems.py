"""Errors have a status and a stable code."""

from __future__ import annotations

from case_tables import every_case

from porism.errors import ConfigError, EngineError, IndexNotFound, PorismError, QueryError
from porism.serve.web.problems import NotFound, Refused, error_answer, status_of


@every_case(("error", "status", "code"), [
    (QueryError("k is 0"), 400, "bad_request"),
    (ConfigError("no model"), 400, "bad_request"),
    (NotFound("no document"), 404, "not_found"),
    (Refused(429, "too_many", "slower"), 429, "too_many"),
    (IndexNotFound("gone", where="/secret"), 503, "index_unavailable"),
    (EngineError("cannot be reached", where="http://engine:19530"), 503, "engine_unavailable"),
])
def test_an_error_has_a_status_and_a_code(error: PorismError, status: int, code: str) -> None:
    assert status_of(error) == (status, code)
    answered, body = error_answer(error)
    assert (answered, body.error.code) == (status, code)
    assert str(error.where) not in body.error.message
