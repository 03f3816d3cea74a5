"""Pages of PDFs as pictures, with outlines at the places of what matches a question."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from porism.corpus.pdf.pictures import PICTURES, Busy, PagePicture, PagePictures
from porism.errors import PorismError, SourceError
from porism.serve.web.api import Api
from porism.serve.web.schema import PageBox, PieceView, PlaceView
from porism.serve.web.urls import address

PATH = "/page-picture"
MAX_OUTLINES, MAX_WORDS = 60, 8
MIN_WORD_LENGTH, MAX_WORD_LENGTH = 3, 60
"""Numbers and letters are everywhere on a page."""
MAX_SHOWN_PAGES = 30
"""Of a document."""
_COLOURS = {"formula": "#003ab2", "word": "#8a5a00"}
"""A page is white in the dark, too."""
_ROOM = 2.0
"""Between what is outlined and its outline, in points."""


class PageLink(NamedTuple):
    """A page to be shown: the address of its picture, what that shows in words, and whether something is outlined."""

    page: int
    address: str
    alt: str
    has_match: bool


def page_links(
    place: PlaceView, doc_id: str, index: str, pieces: Iterable[PieceView], pages: Sequence[int] = ()
) -> list[PageLink]:
    """The pages of a document of a PDF on which formulas match, else the page of its place; all of ``pages`` where
    they are given. Empty for other documents."""
    if place.file is None or place.line is None or not place.file.lower().endswith(".pdf"):
        return []
    boxes: dict[int, list[PieceView]] = {}
    words: dict[str, None] = {}
    for piece in pieces:
        if piece.match and piece.box is not None:
            boxes.setdefault(piece.box.page, []).append(piece)
        elif piece.match and piece.formula is None and MIN_WORD_LENGTH <= len(piece.text) <= MAX_WORD_LENGTH:
            words[piece.text] = None
    shown = list(pages)[:MAX_SHOWN_PAGES] or sorted(boxes)[:1] or [place.line]
    return [
        _link(place.file, doc_id, index, page, boxes.get(page, []), list(words)[:MAX_WORDS]) for page in shown
    ]


def box_link(place: PlaceView, doc_id: str, index: str, box: PageBox, text: str) -> PageLink:
    """The page of one formula."""
    return _link(place.file or doc_id, doc_id, index, box.page, [PieceView(text=text, box=box)], [])


def _link(
    file: str, doc_id: str, index: str, page: int, matches: Sequence[PieceView], words: Sequence[str]
) -> PageLink:
    places = [",".join(f"{value:g}" for value in piece.box.box) for piece in matches[:MAX_OUTLINES] if piece.box]
    texts = list(dict.fromkeys(piece.text for piece in matches))
    outlined = f"; outlined: {', '.join(texts[:3])}{' and more' if len(texts) > 3 else ''}" if texts else ""
    return PageLink(
        page, address(PATH, id=doc_id, index=index, page=page, rect=places, word=words),
        f"Page {page} of {file}{outlined}", bool(texts),
    )


class PagePictureRoute:
    """The handler of pictures of pages."""

    def __init__(self, api: Api) -> None:
        self._api, self._pictures = api, PagePictures()

    def picture(
        self, request: Request, id: str, page: int, index: str = "",
        rect: Annotated[list[str], Query()] = [],  # noqa: B006
        word: Annotated[list[str], Query()] = [],  # noqa: B006
    ) -> Response:
        """A page of the PDF of a document as SVG, or as SVG what is wrong with it."""
        view = self._api.document_view(index, id)
        words = [text for text in word[:MAX_WORDS] if 0 < len(text) <= MAX_WORD_LENGTH and text.isprintable()]
        try:
            if not PICTURES.is_installed:
                raise SourceError("Pages are not shown here", hint=f"To show them: {PICTURES.command}")
            path, digest = view.index.indexed_file(id)
            tag = f'W/"{sha256(f"{digest} {page} {rect} {words}".encode()).hexdigest()[:20]}"'
            headers = {"ETag": tag, "Cache-Control": "no-cache"}
            if tag in request.headers.get("if-none-match", "").split(", "):
                return Response(status_code=304, headers=headers)
            svg = _outlined(self._pictures.picture(path, digest, page, words), rect[:MAX_OUTLINES])
            return Response(svg, media_type="image/svg+xml", headers=headers)
        except SourceError as error:
            status = 503 if isinstance(error, Busy) else 404
            return Response(_message(error), status, {"Cache-Control": "no-store"}, "image/svg+xml")


def _outlined(picture: PagePicture, rects: Sequence[str]) -> str:
    left, bottom, right, top = picture.box
    data = base64.b64encode(picture.png).decode("ascii")
    shapes = []
    places = [*((box, "word") for box in picture.words), *((_numbers(rect), "formula") for rect in rects)]
    for (x0, y0, x1, y1), kind in places:
        shapes.append(
            f'<rect x="{x0 - left - _ROOM:.1f}" y="{top - y1 - _ROOM:.1f}" width="{max(x1 - x0, 0) + 2 * _ROOM:.1f}" '
            f'height="{max(y1 - y0, 0) + 2 * _ROOM:.1f}" rx="2" fill="{_COLOURS[kind]}" stroke="{_COLOURS[kind]}" '
            f'fill-opacity=".12" stroke-width="{1.2 if kind == "formula" else 0}"/>'
        )
    width, height = right - left, top - bottom
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.1f} {height:.1f}" width="{picture.size[0]}" '
        f'height="{picture.size[1]}"><image width="{width:.1f}" height="{height:.1f}" '
        f'href="data:image/png;base64,{data}"/>{"".join(shapes)}</svg>'
    )


def _numbers(rect: str) -> tuple[float, float, float, float]:
    try:
        x0, y0, x1, y1 = (max(-20_000.0, min(20_000.0, float(value))) for value in rect.split(","))
    except ValueError as error:
        raise SourceError(f"is not a valid box: {rect[:60]!r}") from error
    return x0, y0, x1, y1


def _message(error: PorismError) -> str:
    what = f"{error.where} {error.what}" if error.where else error.what
    lines = [what, *([error.hint] if error.hint else [])]
    texts = "".join(
        f'<text x="20" y="{40 + 30 * number}" font-family="sans-serif" font-size="17" fill="#1c1b19">'
        f"{escape(line[:120])}</text>" for number, line in enumerate(lines)
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 100" width="1000" height="100">'
        f'<rect width="1000" height="100" fill="#fff"/>{texts}</svg>'
    )


def picture_router(route: PagePictureRoute) -> Any:
    """The route of the pictures, which the description of the API leaves out."""
    router = APIRouter(include_in_schema=False)
    router.add_api_route(PATH, route.picture, methods=["GET"], response_model=None)
    return router
