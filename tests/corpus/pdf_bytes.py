"""PDF files written byte by byte."""

from __future__ import annotations

import zlib


def pdf_of(objects: list[bytes], trailer: bytes = b"/Root 1 0 R") -> bytes:
    """A file of these objects, numbered from 1."""
    data = b"%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % place for place in places)
    return data + b"trailer\n<< /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start)


def stream(content: bytes, entries: bytes = b"", packed: bool = False) -> bytes:
    """A stream object."""
    if packed:
        content, entries = zlib.compress(content), entries + b" /Filter /FlateDecode"
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), entries, content)


FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def pages_of(*contents: bytes, resources: bytes = b"", extra: list[bytes] | None = None) -> bytes:
    """A file with a page for each content; the font F1 is Helvetica, and ``extra`` objects begin at 4."""
    extra = extra or []
    first = 4 + len(extra)
    kids = b" ".join(b"%d 0 R" % (first + 2 * number) for number in range(len(contents)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(contents), kids), FONT, *extra,
    ]
    for number, content in enumerate(contents):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> %s >> >>" % (first + 2 * number + 1, resources)
        )
        objects.append(stream(content))
    return pdf_of(objects)
