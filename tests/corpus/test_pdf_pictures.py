"""Pictures of pages: their coordinates, and what is wrong with a file."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest
import xxhash
from tests.corpus.pdf_bytes import pages_of

from porism.corpus.pdf import pictures, process
from porism.corpus.pdf.document import PdfText
from porism.corpus.pdf.pictures import Busy, PagePictures
from porism.corpus.pdf.png import png
from porism.errors import SourceError

pytest.importorskip("pypdfium2")
pytest.importorskip("pdfminer")
LINE = b"BT /F1 10 Tf 1 0 0 1 150 600 Tm (marked) Tj ET 0 g 100 500 10 10 re f"


def pictured(path: Path, data: bytes, page: int = 1) -> pictures.PagePicture:
    path.write_bytes(data)
    return PagePictures().picture(path, xxhash.xxh3_128(data).hexdigest(), page, ["marked"])


def test_places_are_those_of_the_reader_however_a_page_is_turned_and_cropped(tmp_path: Path) -> None:
    """The text is turned against the page, so that the reader sees a line that is level."""
    turned = {0: b"1 0 0 1 150 600", 90: b"0 1 -1 0 150 600", 180: b"-1 0 0 -1 250 600", 270: b"0 -1 1 0 150 600"}
    wrong = []
    for angle, matrix in turned.items():
        boxes = b"/MediaBox [20 30 632 822] /CropBox [50 40 600 800] /Rotate %d" % angle
        data = pages_of(LINE.replace(b"1 0 0 1 150 600", matrix)).replace(b"/MediaBox [0 0 612 792]", boxes)
        path = tmp_path / f"{angle}.pdf"
        picture = pictured(path, data)
        (line,) = next(iter(PdfText(path).pages())).lines
        left, bottom, right, top = picture.words[0]
        if not (abs(left - line.x0) < 2 and abs(right - line.x1) < 2 and bottom - 3 < line.y < top):
            wrong.append((angle, picture.words, line))
        width, height = picture.box[2] - picture.box[0], picture.box[3] - picture.box[1]
        ratio = picture.size[0] / picture.size[1]
        if not picture.box[0] < left < picture.box[2] or abs(width / height - ratio) > 0.05:
            wrong.append((angle, picture.box, picture.size))
    assert wrong == []


def test_white_margins_are_cut_off(tmp_path: Path) -> None:
    left, bottom, right, top = pictured(tmp_path / "a.pdf", pages_of(LINE)).box
    assert 80 < left < 100
    assert 175 < right < 200
    assert 480 < bottom < 500
    assert 630 > top > 605


def test_what_cannot_be_shown_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, data = tmp_path / "a.pdf", pages_of(LINE)
    for shown, page, reason in ((data, 9, "has no page 9"), (b"%PDF-1.4 broken", 1, "damaged")):
        with pytest.raises(SourceError, match=reason):
            pictured(path, shown, page)
    with pytest.raises(SourceError, match="has changed since it was indexed"):
        PagePictures().picture(path, "0" * 32, 1)
    path.write_bytes(data)
    digest = xxhash.xxh3_128(data).hexdigest()
    made = PagePictures()
    with monkeypatch.context() as patched:
        patched.setattr(process.ChildProcess, "answer", lambda *_: None)  # it died, or takes too long
        with pytest.raises(SourceError, match="too much memory or time"):
            made.picture(path, digest, 1)
    with pytest.raises(SourceError, match="too much memory or time"):  # which is not tried again
        made.picture(path, digest, 1)
    monkeypatch.setattr(pictures, "MAX_WAITING", 0)
    with pytest.raises(Busy):
        PagePictures().picture(path, digest, 1)


def test_pngs_of_few_and_of_many_colours() -> None:
    chance = np.random.default_rng(1)
    some, many = (chance.integers(0, most, (64, 63, 3), np.uint8) for most in (80, 255))
    few = np.full((5, 7, 3), 255, np.uint8)
    few[2, 3] = 0
    kinds = []
    for pixels in (few, some, many):
        data = png(pixels)
        kinds.append((data[24], data[25]))
        width, height = pixels.shape[1], pixels.shape[0]
        start = data.index(b"IDAT") + 4
        rows = zlib.decompress(data[start : start + int.from_bytes(data[start - 8 : start - 4], "big")])
        depth = data[24] * (3 if data[25] == 2 else 1)
        assert len(rows) == height * (1 + (width * depth + 7) // 8)
    assert kinds == [(4, 3), (8, 3), (8, 2)]
