"""Which PDFs beside LaTeX are its figures: those that ``\\includegraphics`` and the like name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from porism.corpus.text_files import open_file

MAX_SOURCE_BYTES = 8 << 20
"""So much of each source is looked at."""

_GRAPHICS = re.compile(
    rb"\\(?:includegraphics|includesvg|begin\s*\{overpic\}|epsfbox|epsffile|psfig)\*?\s*(?:\[[^\[\]]*\]\s*){0,2}"
    rb"\{(?:file\s*=\s*)?([^{},]{1,300})[,}]"
)


def figures_among(pdfs: Iterable[Path], sources: Iterable[Path]) -> set[Path]:
    """The PDFs that sources of LaTeX in the same folder, or in one above it, include as pictures."""
    by_name: dict[str, list[Path]] = {}
    for pdf in pdfs:
        by_name.setdefault(pdf.stem.lower(), []).append(pdf)
    figures: set[Path] = set()
    for source in sources if by_name else ():
        try:
            with open_file(source) as file:
                text = file.read(MAX_SOURCE_BYTES)
        except OSError:
            continue  # reported when it is read
        for name in set(_GRAPHICS.findall(text)):
            path = PurePosixPath(name.decode("utf-8", "replace").strip().strip('"'))
            stem = path.stem if path.suffix.lower() in (".pdf", ".eps", ".svg", ".png") else path.name
            figures.update(
                pdf for pdf in by_name.get(stem.lower(), ())
                if pdf.is_relative_to(source.parent) or pdf == (source.parent / path).resolve()
            )
    return figures
