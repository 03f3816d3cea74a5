"""A PDF file: its pages, labels and outline, and the marks of each page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from porism.corpus.pdf.content import Matrix, PageContent
from porism.corpus.pdf.fonts import Font
from porism.corpus.pdf.marks import Mark

MAX_STREAM_BYTES = 64 * 1024 * 1024
_UPRIGHT: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


class Page(NamedTuple):
    """The marks of a page, its size in points, and how many images it shows."""

    number: int
    label: str
    width: float
    height: float
    marks: list[Mark]
    images: int
    is_cut: bool


class PdfFile:
    """One open file.

    :raises ValueError: it is not a PDF, is damaged beyond reading, or needs a password.
    """

    def __init__(self, path: Path) -> None:
        from pdfminer.pdfdocument import PDFDocument, PDFEncryptionError, PDFPasswordIncorrect
        from pdfminer.pdfexceptions import PDFException
        from pdfminer.pdfinterp import PDFResourceManager
        from pdfminer.pdfparser import PDFParser
        from pdfminer.psexceptions import PSException

        self._file = path.open("rb")
        try:
            self._document = PDFDocument(PDFParser(self._file))
        except (PDFPasswordIncorrect, PDFEncryptionError) as error:
            raise ValueError("needs a password; save a copy without one") from error
        except (PDFException, PSException) as error:
            raise ValueError(f"is not a readable PDF ({error or type(error).__name__})") from error
        self._manager = PDFResourceManager()
        self._fonts: dict[Any, Font | None] = {}
        self.unread_bytes = 0
        """On the pages until now, of strings whose font is missing or damaged."""

    def close(self) -> None:
        self._file.close()

    @property
    def fonts(self) -> list[Font]:
        """The fonts that the pages until now have used."""
        return [font for font in self._fonts.values() if font is not None]

    def info(self) -> dict[str, str]:
        """Title, author and the like, as the file says."""
        from pdfminer.utils import decode_text

        known: dict[str, str] = {}
        for entries in self._document.info:
            for key, value in entries.items():
                value = _resolved(value)
                if isinstance(value, bytes):
                    known.setdefault(str(key), decode_text(value))
        return known

    def outline(self, limit: int) -> list[tuple[int, str]]:
        """The first entries of the outline: their levels, from 1, and titles."""
        from pdfminer.pdfexceptions import PDFException

        entries: list[tuple[int, str]] = []
        try:
            for level, title, *_ in self._document.get_outlines():
                entries.append((int(level), " ".join(str(title).split())))
                if len(entries) >= limit:
                    break
        except (PDFException, RecursionError, AttributeError, KeyError, TypeError, ValueError):
            return entries
        return entries

    def page_objects(self) -> Iterator[Any]:
        """The pages as pdfminer has them."""
        from pdfminer.pdfpage import PDFPage

        return PDFPage.create_pages(self._document)

    def read(self, number: int, page: Any) -> Page:
        """The marks of a page."""
        matrix, width, height = upright(page.mediabox, int(page.rotate or 0))
        content = PageContent(self._font_of, self._form_of)
        data = b"\n".join(_data(stream) for stream in page.contents)
        content.run(data, matrix, _resolved(page.resources) or {})
        self.unread_bytes += content.unread_bytes
        return Page(number, page.label or "", width, height, content.marks, content.images, content.is_cut)

    def _font_of(self, resources: Mapping[str, Any], name: str) -> Font | None:
        fonts = _resolved(resources.get("Font"))
        reference = fonts.get(name) if isinstance(fonts, dict) else None
        number = getattr(reference, "objid", None)
        key = number or id(reference)
        if key not in self._fonts:
            spec = _resolved(reference)
            self._fonts[key] = self._made_font(number, spec) if isinstance(spec, dict) else None
        return self._fonts[key]

    def _made_font(self, objid: int | None, spec: dict[str, Any]) -> Font | None:
        try:
            return Font(self._manager.get_font(objid, spec), spec)
        except (MemoryError, RecursionError):
            raise
        except Exception:  # a damaged font raises anything in the library; what it shows is counted and reported
            return None

    def _form_of(self, resources: Mapping[str, Any], name: str) -> tuple[bytes, Matrix, Mapping[str, Any]] | None:
        objects = _resolved(resources.get("XObject"))
        stream = _resolved(objects.get(name)) if isinstance(objects, dict) else None
        attributes = getattr(stream, "attrs", None)
        if attributes is None or getattr(_resolved(attributes.get("Subtype")), "name", "") != "Form":
            return None
        matrix = [_resolved(value) for value in _resolved(attributes.get("Matrix")) or ()]
        whole: Matrix = tuple(map(float, matrix)) if len(matrix) == 6 else _UPRIGHT  # type: ignore[assignment]
        return _data(stream), whole, _resolved(attributes.get("Resources")) or {}


def upright(box: tuple[float, float, float, float], rotation: int) -> tuple[Matrix, float, float]:
    """What brings the media box of a page, rotated clockwise, upright to the origin; and its width and height then."""
    left, bottom, right, top = box
    matrix: Matrix = {
        90: (0.0, -1.0, 1.0, 0.0, -bottom, right), 180: (-1.0, 0.0, 0.0, -1.0, right, top),
        270: (0.0, 1.0, -1.0, 0.0, top, -left),
    }.get(rotation % 360, (1.0, 0.0, 0.0, 1.0, -left, -bottom))
    width, height = right - left, top - bottom
    return (matrix, width, height) if rotation % 180 == 0 else (matrix, height, width)


def _resolved(value: Any) -> Any:
    from pdfminer.pdftypes import resolve1

    return resolve1(value)


def _data(stream: Any) -> bytes:
    stream = _resolved(stream)
    if not hasattr(stream, "get_data"):
        return b""
    data: bytes = stream.get_data()
    return data[:MAX_STREAM_BYTES]
