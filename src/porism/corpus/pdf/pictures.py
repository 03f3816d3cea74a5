"""Pictures of pages, made one after the other by a process that may die; the last ones are kept."""

from __future__ import annotations

import base64
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from porism.corpus.pdf.marks import Box
from porism.corpus.pdf.process import ChildProcess
from porism.errors import SourceError
from porism.extras import Extra
from porism.system.concurrency.caching import Memory

PICTURES = Extra("pdf", "pypdfium2")
SECONDS_A_PICTURE = 20.0
MAX_KEPT = 64
MAX_WAITING = 8
"""Requests that wait for the process; further ones are refused."""


class Busy(SourceError):
    """More pictures are wanted at once than are made."""


class PagePicture(NamedTuple):
    """A page as PNG with its size in pixels; the box that it shows and those of words, in points."""

    png: bytes
    size: tuple[int, int]
    box: Box
    words: tuple[Box, ...]


class PagePictures:
    """Makes and keeps pictures of pages. What could not be made is kept too, so that it costs once."""

    def __init__(self) -> None:
        self._kept: Memory[PagePicture | str] = Memory(MAX_KEPT)
        self._turn = threading.Lock()
        self._places = threading.BoundedSemaphore(MAX_WAITING)

    def picture(self, path: Path, digest: str, page: int, words: Sequence[str] = ()) -> PagePicture:
        """The picture of a page of a file whose content has this xxh3-128, with the places of some words.

        :raises MissingExtra: PDFium is not installed.
        :raises Busy: too many requests wait.
        :raises SourceError: the file has another content, lacks the page, is damaged, or takes too much memory or time.
        """
        PICTURES.load("showing pages")
        request = {"path": str(path), "digest": digest, "page": page, "words": list(words)}
        picture = self._kept.get((digest, page, *words), lambda: self._made(request))
        if isinstance(picture, str):
            raise SourceError(picture, where=path.name)
        return picture

    def _made(self, request: dict[str, Any]) -> PagePicture | str:
        if not self._places.acquire(blocking=False):
            raise Busy("too many pages are being drawn", hint="Try again in a few seconds.")
        try:
            with self._turn:
                process = ChildProcess.take("picture_worker")
                process.ask(request)
                answer = process.answer(SECONDS_A_PICTURE)
                process.give_back(answer is not None)
        finally:
            self._places.release()
        if answer is None:
            return f"page {request['page']} takes too much memory or time to draw"
        if "error" in answer:
            return str(answer["error"])
        width, height = answer["size"]
        boxes = [tuple(map(float, box)) for box in (answer["box"], *answer["words"])]
        return PagePicture(base64.b64decode(answer["png"]), (width, height), boxes[0], tuple(boxes[1:]))  # type: ignore[arg-type]
