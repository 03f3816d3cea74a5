"""Names of files that are not UTF-8: Python has each foreign byte as a lone surrogate, which no text may contain.

Within the library names are as Python has them, so that they open their files. In ids, metadata and output each such
byte is shown as ``\\xe9``.
"""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

_FOREIGN = re.compile(r"[\udc80-\udcff]|\\(?=x[0-9a-f]{2})")
_SHOWN = re.compile(r"\\x([0-9a-f]{2})")


def shown_name(name: str) -> str:
    """The name with ``\\xe9`` for the byte E9; a backslash that could be read as such becomes ``\\x5c``."""
    return _FOREIGN.sub(lambda match: f"\\x{ord(match.group()) & 0xFF:02x}", name)


def real_name(shown: str) -> str:
    """The inverse of :func:`shown_name`."""
    return _SHOWN.sub(lambda match: _character(int(match.group(1), 16)), shown)


def _character(byte: int) -> str:
    return chr(byte) if byte < 0x80 else chr(0xDC00 + byte)


def dump_names(value: Any) -> bytes:
    """JSON of a value that contains names; :func:`load_names` gives them back as they are."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value).encode("ascii")  # with surrogates as \udce9, which orjson neither writes nor reads


def load_names(data: bytes | str) -> Any:
    """The inverse of :func:`dump_names`.

    :raises ValueError: it is not JSON.
    """
    try:
        return orjson.loads(data)
    except ValueError:
        return json.loads(data)
