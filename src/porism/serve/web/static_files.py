"""Files of a folder over the web: those within it alone, of known kinds."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from fastapi.responses import Response

from porism.serve.web.problems import NotFound

KINDS = {
    ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml", ".png": "image/png", ".woff2": "font/woff2", ".woff": "font/woff", ".ttf": "font/ttf",
}
LARGEST = 8_000_000


def file_response(folder: Path, path: str, if_none_match: str = "") -> Response:
    """A file of a folder by its path there.

    :raises NotFound: there is no such file, it is not of a known kind, or the path leaves the folder.
    """
    root = folder.resolve()
    try:
        file = (root / path).resolve()
        kind = KINDS.get(file.suffix.lower())
        if not file.is_relative_to(root) or kind is None or not file.is_file() or file.stat().st_size > LARGEST:
            raise NotFound(f"there is no file {path[:200]!r}")
        content = file.read_bytes()
    except (OSError, ValueError) as error:  # a null character, too long a name, no rights
        raise NotFound(f"there is no file {path[:200]!r}") from error
    tag = f'"{sha256(content).hexdigest()[:20]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if tag in if_none_match.split(", "):
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=kind, headers=headers)
