"""Errors of the web: which status an exception has, and the one form in which the API reports it."""

from __future__ import annotations

from porism.errors import EngineError, IndexFolderError, PorismError, QueryError
from porism.serve.shards.requests import MOVED, StaleCommit
from porism.serve.web.schema import ErrorAnswer, ErrorBody


class NotFound(QueryError):
    """Something that is named does not exist: a document, an index, a page."""


class Refused(PorismError):
    """A request that is refused before it is answered: ``status`` and ``code`` say why."""

    def __init__(self, status: int, code: str, what: str, hint: str | None = None) -> None:
        super().__init__(what, hint=hint)
        self.status, self.code = status, code


def status_of(error: PorismError) -> tuple[int, str]:
    """The status of the answer to a request that raised an error, and its stable code."""
    if isinstance(error, Refused):
        return error.status, error.code
    if isinstance(error, StaleCommit):
        return 409, MOVED
    if isinstance(error, NotFound):
        return 404, "not_found"
    if isinstance(error, IndexFolderError):
        return 503, "index_unavailable"
    if isinstance(error, EngineError):
        return 503, "engine_unavailable"
    return 400, "bad_request"


def sentence(text: str) -> str:
    """A message as a sentence: with a capital, and a full stop where it has no other mark."""
    shown = text[:1].upper() + text[1:]
    return shown if shown.endswith((".", "?", "!")) else f"{shown}."


def error_sentence(error: PorismError) -> str:
    """What is wrong and what to do about it, as sentences."""
    return " ".join(filter(None, (sentence(error.what), error.hint)))


def error_answer(error: PorismError) -> tuple[int, ErrorAnswer]:
    """Status and body for an error. The place of an index on this machine is not part of it."""
    status, code = status_of(error)
    return status, ErrorAnswer(error=ErrorBody(code=code, message=sentence(error.what), hint=error.hint))


def refusal(status: int, code: str, message: str, hint: str | None = None) -> tuple[int, bytes]:
    """Status and body of a refusal, ready to be sent."""
    answer = ErrorAnswer(error=ErrorBody(code=code, message=message, hint=hint))
    return status, answer.model_dump_json().encode()
