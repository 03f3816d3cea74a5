"""The process that makes pictures of pages with PDFium: a hostile file costs this process alone.

A request is ``{"path": …, "digest": …, "page": …, "words": […]}``. The answer has the picture as PNG in base64, the box
of the page that it shows, and the boxes of the words. All boxes are in points, as those of formulas are.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from porism.corpus.pdf.child import Write, answer_requests
from porism.corpus.pdf.marks import Box
from porism.corpus.pdf.pages import upright
from porism.corpus.pdf.png import png
from porism.extras import need

WIDTH, MAX_HEIGHT = 1_000, 2_500
"""Of a picture, in pixels: it is as wide as it may be where it is not higher then."""
WHITE, MARGIN = 245, 24
"""What is lighter is no content; of white margins so many pixels are shown."""
MAX_BOXES = 40
"""Of words; further ones are not outlined."""


def answer(request: dict[str, Any], write: Write) -> None:
    """Makes the picture of a page of a file, if the file is what was indexed."""
    pdfium = need("pypdfium2", "pdf", "pictures of pages")
    xxhash = need("xxhash", "pdf", "pictures of pages")
    data = Path(request["path"]).read_bytes()
    if xxhash.xxh3_128(data).hexdigest() != request["digest"]:
        raise ValueError("has changed since it was indexed")
    document = pdfium.PdfDocument(data)
    try:
        number = int(request["page"])
        if not 1 <= number <= len(document):
            raise ValueError(f"has no page {number:,}")
        page = document[number - 1]
        matrix, _, _ = upright(page.get_mediabox(), page.get_rotation())
        width, height = page.get_size()
        scale = min(WIDTH / max(width, 1.0), MAX_HEIGHT / max(height, 1.0))
        pixels = page.render(scale=scale, may_draw_forms=False).to_numpy()
        rows, columns = _content(pixels)
        left, _, _, top = _moved(page.get_cropbox(), matrix)
        shown = pixels[rows, columns]
        write({
            "png": base64.b64encode(png(shown)).decode("ascii"), "size": [shown.shape[1], shown.shape[0]],
            "box": [
                left + columns.start / scale, top - rows.stop / scale, left + columns.stop / scale,
                top - rows.start / scale,
            ],
            "words": _places(page, map(str, request["words"]), matrix),
        })
    finally:
        document.close()


def _content(pixels: Any) -> tuple[slice, slice]:
    """The rows and columns of a picture without its white margins."""
    dark = pixels.min(axis=2) < WHITE
    spans = []
    for length, used in ((pixels.shape[0], dark.any(axis=1)), (pixels.shape[1], dark.any(axis=0))):
        places = used.nonzero()[0].tolist() or [0, length]
        spans.append(slice(max(0, places[0] - MARGIN), min(length, places[-1] + 1 + MARGIN)))
    return spans[0], spans[1]


def _moved(box: Box, matrix: Any) -> Box:
    a, b, c, d, e, f = matrix
    xs = sorted(a * x + c * y + e for x in box[::2] for y in box[1::2])
    ys = sorted(b * x + d * y + f for x in box[::2] for y in box[1::2])
    return xs[0], ys[0], xs[-1], ys[-1]


def _places(page: Any, words: Any, matrix: Any) -> list[Box]:
    """The boxes of words on a page."""
    text = page.get_textpage()
    boxes: list[Box] = []
    for word in words:
        finder = text.search(word, match_whole_word=True)
        while len(boxes) < MAX_BOXES and (place := finder.get_next()) is not None:
            boxes += (_moved(text.get_rect(number), matrix) for number in range(text.count_rects(*place)))
    return boxes


if __name__ == "__main__":
    answer_requests(answer)
