"""What is pasted from other programs as a question: formulas of web pages, of Word and of pictures become LaTeX."""

from __future__ import annotations

import re
from html import escape, unescape
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response
from starlette.concurrency import run_in_threadpool

from porism.corpus.formula_sources import strip_delimiters
from porism.corpus.html.content import html_to_content
from porism.corpus.html.word_equations import with_word_equations
from porism.errors import QueryError
from porism.formula import parse, to_latex
from porism.types import Formula

MAX_CHARACTERS = 200_000
"""Longer clipboards are not read: a question has a few lines."""

_PICTURE = re.compile(r"<img\b(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>", re.IGNORECASE)
_ALT = re.compile(r"\balt\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_OF_FORMULA = re.compile(r"\b(?:class|src)\s*=\s*[\"'][^\"']*(?:tex|math|codecogs|render/svg|equation)", re.IGNORECASE)
_STYLED = re.compile(r"\{\\(?:display|text)style (.*)\}")
"""As Wikipedia writes the alternative text of its pictures."""
_LATEX = re.compile(r"\\[A-Za-z]+|[\w})\]]\s*[\^_]\s*[{\w\\]")


def pasted_question(html: str) -> str | None:
    """A question of what a clipboard has as HTML, formulas between dollars; None where it has no formula.

    :raises QueryError: it is too long.
    """
    if len(html) > MAX_CHARACTERS:
        raise QueryError(
            f"the clipboard has {len(html):,} characters", hint=f"Paste at most {MAX_CHARACTERS:,}, with their marks."
        )
    html = _PICTURE.sub(_picture, with_word_equations(html))
    content = html_to_content(html)
    if not content.formulas:
        return None
    parts = (part.replace("$", r"\$") if isinstance(part, str) else f"${_latex(part)}$" for part in content.parts)
    return " ".join("".join(parts).split())


def _picture(match: re.Match[str]) -> str:
    """A picture whose description is LaTeX as a formula; others as they are."""
    alt = _ALT.search(match[0])
    text = unescape(alt[1] or alt[2] or "").strip() if alt is not None else ""
    if not text or not (_OF_FORMULA.search(match[0]) or _LATEX.search(text)):
        return match[0]
    source, _ = strip_delimiters(text)
    return f'<span class="math-container">${escape(source, quote=False)}$</span>'


def _latex(formula: Formula) -> str:
    source = " ".join((to_latex(parse(formula)) if formula.notation == "mathml" else formula.source).split())
    styled = _STYLED.fullmatch(source)
    return source if styled is None else styled[1]


async def paste(request: Request) -> Response:
    """Answers with a clipboard as a question; without content where it has no formula."""
    body = (await request.body()).decode("utf-8", "replace")
    question = await run_in_threadpool(pasted_question, body)
    return Response(status_code=204) if question is None else PlainTextResponse(question)


def pasting_router() -> Any:
    """The route that the box of the pages sends clipboards to."""
    router = APIRouter(include_in_schema=False)
    router.add_api_route("/paste", paste, methods=["POST"], response_model=None)
    return router
