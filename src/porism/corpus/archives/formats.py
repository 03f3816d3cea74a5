"""The members of archives of each kind, in a stream."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedIOBase, BufferedReader
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import zstandard

from porism.corpus.archives.unpacking import MAX_MEMBERS, TOO_LARGE, MemberFile, TooLarge, UnpackedTree, printable
from porism.corpus.posts.stackexchange import UNUSED_TABLES
from porism.corpus.streams import BLOCK
from porism.corpus.text_files import open_file
from porism.errors import SourceError
from porism.extras import Extra

SEVEN_ZIP = Extra("documents", "py7zr")

MAX_DIRECTORY_BYTES = 32 << 20
"""A zip file whose list of members is longer is not read: it would fill the memory."""
MAX_HEADER_BYTES = 1 << 20
"""Names and attributes of a member of a tar file have at most so many bytes."""

_ENCRYPTED = "encrypted members are left out"
_ALL_ENCRYPTED = "is encrypted; it is not read"
_LINKS = "links are left out"
_SPECIAL = "devices and pipes are left out"
_UNKNOWN = "members of an unknown compression are left out"
_DAMAGED = "damaged members are read in part or not at all"
_TOO_MUCH = "unpacks to more than it may (--max-unpacked allows more); what comes"
_BLOCK_SIZE = 512  # of tar
_ZIP_END = struct.Struct("<4s4H2LH")
_ZIP64_LOCATOR = struct.Struct("<4sLQL")
_ZIP64_END = struct.Struct("<4sQ2H2L4Q")
_MAX_COMMENT = 65_536
_EXTENDED = frozenset((tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME,
                       tarfile.GNUTYPE_LONGLINK))

DAMAGES = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, zstandard.ZstdError, EOFError, struct.error,
    OSError, ValueError, LookupError, OverflowError, RuntimeError,
)
"""What reading a damaged archive raises."""

_ZSTANDARD = zstandard.ZstdDecompressor()
DECOMPRESSORS: dict[str, Callable[[BinaryIO], BufferedIOBase]] = {
    ".gz": lambda file: gzip.GzipFile(fileobj=file),
    ".bz2": lambda file: bz2.BZ2File(file),
    ".xz": lambda file: lzma.LZMAFile(file),  # noqa: SIM115
    ".zst": lambda file: BufferedReader(cast("Any", _ZSTANDARD.stream_reader(file, BLOCK, True)), BLOCK),
}
"""Ending of a compressed file → what opens it as a file of bytes."""
_SHORT_NAMES = {".tgz": ".gz", ".tbz": ".bz2", ".tbz2": ".bz2", ".txz": ".xz", ".tzst": ".zst"}
"""One ending for ``.tar`` and that of its compression."""
_ARCHIVES = (".zip", ".7z", ".tar")
ARCHIVE_EXTENSIONS = (*_ARCHIVES, *_SHORT_NAMES, *DECOMPRESSORS)


def compression(name: str) -> str:
    """The ending that names how a file is compressed (``.gz``), empty for none."""
    ending = os.path.splitext(name.lower())[1]
    ending = _SHORT_NAMES.get(ending, ending)
    return ending if ending in DECOMPRESSORS else ""


def archive_kind(name: str) -> str:
    """``zip``, ``7z`` or ``tar`` for the name of an archive, empty for others; ``.gz`` alone says nothing."""
    stem, ending = os.path.splitext(name.lower())
    if ending in _ARCHIVES:
        return ending[1:]
    return "tar" if ending in _SHORT_NAMES or (ending in DECOMPRESSORS and stem.endswith(".tar")) else ""


@contextmanager
def opened(path: Path, ending: str) -> Iterator[BufferedIOBase]:
    """A file, unpacked by the compression of this ending as it is read."""
    with open_file(path) as file:
        yield DECOMPRESSORS[ending](file) if ending else cast("BufferedIOBase", file)


def is_tar(start: bytes) -> bool:
    """Whether bytes begin as a tar file does, of the oldest kind too."""
    try:
        tarfile.TarInfo.frombuf(start[:_BLOCK_SIZE], "utf-8", "surrogateescape")
    except tarfile.TarError:
        return False
    return True


def unpack_zip(path: Path, tree: UnpackedTree) -> str:
    """Writes the members of a zip file into a tree; returns what was wrong with it as a whole, empty for nothing."""
    with open_file(path) as file:
        if _directory_size(file) > MAX_DIRECTORY_BYTES:
            return f"has many more than {MAX_MEMBERS:,} members; it is not read"
        try:
            archive = zipfile.ZipFile(file)
        except DAMAGES as error:
            return f"is no zip file, or breaks off ({_reason(error)}); it is not read"
        with archive:
            for member in archive.infolist():
                kind = stat.S_IFMT(member.external_attr >> 16) if member.create_system == 3 else 0
                if member.is_dir():
                    continue
                if kind not in (0, stat.S_IFREG):
                    tree.refuse(member.filename, _LINKS if kind == stat.S_IFLNK else _SPECIAL)
                elif member.flag_bits & 1:
                    tree.refuse(member.filename, _ENCRYPTED)
                else:
                    _take_from_zip(archive, member, tree)
    return ""


def _take_from_zip(archive: zipfile.ZipFile, member: zipfile.ZipInfo, tree: UnpackedTree) -> None:
    try:
        with archive.open(member) as content:
            tree.write(member.filename, blocks(content), member.file_size)
    except (NotImplementedError, RuntimeError):
        tree.refuse(member.filename, _UNKNOWN)
    except TooLarge:
        tree.refuse(member.filename, TOO_LARGE)
    except DAMAGES:
        tree.refuse(member.filename, _DAMAGED)


def _directory_size(file: BinaryIO) -> int:
    """How many bytes the list of members of a zip file has, as it says; 0 where it does not."""
    end = file.seek(0, os.SEEK_END)
    start = file.seek(max(0, end - _ZIP_END.size - _MAX_COMMENT - _ZIP64_LOCATOR.size))
    tail = file.read()
    place = tail.rfind(b"PK\x05\x06")
    if place < 0 or len(tail) < place + _ZIP_END.size:
        return 0
    size: int = _ZIP_END.unpack_from(tail, place)[5]
    locator = place - _ZIP64_LOCATOR.size
    if locator >= 0 and tail.startswith(b"PK\x06\x07", locator):
        file.seek(min(end, _ZIP64_LOCATOR.unpack_from(tail, locator)[2], start + locator))
        record = file.read(_ZIP64_END.size)
        if len(record) == _ZIP64_END.size and record.startswith(b"PK\x06\x06"):
            size = max(size if size != 0xFFFFFFFF else 0, _ZIP64_END.unpack(record)[8])
    return size


def unpack_tar(stream: BufferedIOBase, tree: UnpackedTree) -> str:
    """Writes the members of a tar file into a tree; returns what was wrong with it as a whole, empty for nothing."""
    damaged, ended = 0, False

    class Header(tarfile.TarInfo):
        """Notes what tarfile passes over."""

        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Header:
            nonlocal damaged, ended
            try:
                header = super().frombuf(buf, encoding, errors)
                if header.type in _EXTENDED and header.size > MAX_HEADER_BYTES:
                    raise tarfile.InvalidHeaderError("a name of too many bytes")  # type: ignore[attr-defined]
            except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
                ended = True
                raise
            except tarfile.HeaderError:
                damaged += bool(buf)
                raise
            ended = False
            return header

    last = ""
    counted = cast("Any", _Counted(stream, tree))
    try:
        with tarfile.open(
            fileobj=counted, mode="r|", tarinfo=Header, ignore_zeros=True, errors="surrogateescape"
        ) as archive:
            for member in archive:
                if tree.limits.members_left <= 0:
                    return f"has more than {MAX_MEMBERS:,} members; what comes after {last} is not read"
                last = printable(member.name)
                if member.issym() or member.islnk():
                    tree.refuse(member.name, _LINKS)
                elif member.isfile():
                    content = archive.extractfile(member)
                    tree.write(member.name, blocks(content) if content is not None else ())
                elif not member.isdir():
                    tree.refuse(member.name, _SPECIAL)
                archive.members.clear()  # type: ignore[attr-defined]  # tarfile remembers all that it has passed
    except TooLarge:
        return f"{_TOO_MUCH} after {last or 'its beginning'} is not read"
    except DAMAGES as error:
        return f"is damaged or breaks off in or after {last or 'its beginning'} ({_reason(error)})"
    if damaged:
        return f"has {damaged:,} damaged blocks of {_BLOCK_SIZE} bytes, which are passed over"
    return "" if ended else f"breaks off after {last or 'its beginning'}"


class _Counted:
    """A stream whose bytes count against the limit of what is unpacked, headers and passed over members too."""

    def __init__(self, stream: BufferedIOBase, tree: UnpackedTree) -> None:
        self._stream, self._left = stream, tree.limits.bytes_left

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise TooLarge
        return data


def unpack_7z(path: Path, tree: UnpackedTree) -> str:
    """Writes the members of a 7z file into a tree; returns what was wrong with it as a whole, empty for nothing.

    :raises MissingExtra: py7zr is not installed.
    """
    py7zr = SEVEN_ZIP.load("reading .7z archives")
    files = _SevenZipFiles(tree)
    with open_file(path) as file:
        try:
            with py7zr.SevenZipFile(file) as archive:
                if archive.needs_password():
                    return _ALL_ENCRYPTED
                members = archive.list()
                if sum(member.uncompressed or 0 for member in members) > tree.limits.bytes_left:
                    return "unpacks to more than it may (--max-unpacked allows more); it is not read"
                is_dump = any(_base_name(member.filename) == "posts.xml" for member in members)
                for member in members:
                    if is_dump and _base_name(member.filename) in UNUSED_TABLES:
                        continue
                    if member.is_symlink:
                        tree.refuse(member.filename, _LINKS)
                    elif not member.is_directory and tree.place(member.filename, member.uncompressed or 0) is not None:
                        files.names.append(member.filename)
                if files.names:
                    archive.extract(tree.root, targets=files.names, factory=files)
        except py7zr.exceptions.PasswordRequired:
            return _ALL_ENCRYPTED
        except TooLarge:
            return f"{_TOO_MUCH} after {files.last} is not read"
        except SourceError:
            raise
        except Exception as error:  # on what is no 7z file, py7zr raises exceptions of all kinds
            return f"is damaged or breaks off in or after {files.last or 'its beginning'} ({_reason(error)})"
    return ""


def _base_name(name: str) -> str:
    return name.rpartition("/")[2].lower()


class _SevenZipFiles:
    """Gives py7zr the files that it writes to."""

    def __init__(self, tree: UnpackedTree) -> None:
        self._tree = tree
        self.names: list[str] = []
        self.last = ""

    def create(self, filename: str) -> _SevenZipMember:
        """The file for a member, named by the path that py7zr would write to."""
        self.last = Path(filename).relative_to(self._tree.root).as_posix()
        return _SevenZipMember(self._tree.member(self.last))


class _SevenZipMember:
    """A member's file as py7zr uses it."""

    def __init__(self, file: MemberFile | None) -> None:
        self._file = file

    def write(self, data: bytes | bytearray) -> int:
        if self._file is not None:
            self._file.write(data)
        return len(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        return 0

    def flush(self) -> None:
        pass

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def unpack_single(stream: BufferedIOBase, name: str, tree: UnpackedTree) -> str:
    """Writes the only file of a stream into a tree; returns what was wrong with it, empty for nothing."""
    tree.only_file = name
    try:
        tree.write(name, blocks(stream))
    except TooLarge:
        return f"{_TOO_MUCH} after that is not read"
    except DAMAGES as error:
        return f"is damaged or breaks off ({_reason(error)})"
    return ""


def blocks(content: IO[bytes] | BufferedIOBase) -> Iterator[bytes]:
    """The content of an open file, as much at a time as can be read: where it breaks off, nothing before is lost."""
    while block := cast("BufferedIOBase", content).read1(BLOCK):
        yield block


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
