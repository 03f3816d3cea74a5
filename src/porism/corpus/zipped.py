"""Documents that are zip archives (EPUB, OpenDocument, Word): their members, within limits, and their XML."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TypeVar
from zipfile import BadZipFile, ZipFile
from zlib import error as ZlibError

from lxml import etree

from porism.errors import OnProblem, Problem

T = TypeVar("T")

MAX_MEMBER_BYTES = 256 * 1024 * 1024
"""So large may one member be that is read; larger ones are bombs, or no text."""

_ERRORS = (BadZipFile, KeyError, ValueError, OSError, EOFError, NotImplementedError, RuntimeError, ZlibError,
           etree.XMLSyntaxError)
"""What reading a damaged or hostile archive raises."""


def read_zip(data: bytes, read: Callable[[ZipFile], T], where: str, on_problem: OnProblem) -> T | None:
    """What a function reads from an archive; None, and a problem, where that is damaged or hostile."""
    try:
        with ZipFile(io.BytesIO(data)) as packed:
            return read(packed)
    except _ERRORS as error:
        on_problem(Problem(where, f"is damaged, or not what its ending says ({error})"))
        return None


def member(packed: ZipFile, name: str) -> bytes:
    """A member of an archive.

    :raises ValueError: it is too large.
    """
    with packed.open(name) as file:
        data = file.read(MAX_MEMBER_BYTES + 1)
    if len(data) > MAX_MEMBER_BYTES:
        raise ValueError(f"{name} has more than {MAX_MEMBER_BYTES:,} bytes")
    return data


def member_xml(packed: ZipFile, name: str) -> etree._Element:
    """The root of a member that is XML."""
    return parsed_xml(member(packed, name))


def parsed_xml(data: bytes) -> etree._Element:
    """The root of some XML; entities are not expanded, and names of elements that XML forbids (``sec:a``) pass.

    :raises ValueError: it is not well-formed, or nested too deeply.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True, recover=True
    )
    root = etree.fromstring(data, parser)
    fatal = next((entry for entry in parser.error_log if entry.level == etree.ErrorLevels.FATAL), None)
    if root is None or fatal is not None:
        raise ValueError(f"line {fatal.line}: {fatal.message.strip()}" if fatal is not None else "is not XML")
    return root
