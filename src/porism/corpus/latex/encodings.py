"""In which encoding a LaTeX source is: what it declares, what the file that loads it declares, what its bytes allow."""

from __future__ import annotations

import codecs
import re

from porism.corpus.text_files import guess_encoding
from porism.errors import OnProblem, Problem

_INPUTENC = {
    "utf8": "utf-8", "utf8x": "utf-8", "ascii": "cp1252", "latin1": "cp1252", "latin2": "iso8859-2",
    "latin3": "iso8859-3", "latin4": "iso8859-4", "latin5": "iso8859-9", "latin9": "iso8859-15",
    "latin10": "iso8859-16", "ansinew": "cp1252", "applemac": "mac-roman", "macce": "mac-latin2",
    "maccyr": "mac-cyrillic", "cp437de": "cp437", "koi8r": "koi8-r", "koi8u": "koi8-u", "iso88595": "iso8859-5",
}  # fmt: skip
_EDITORS = {
    "utf8unicode": "utf-8", "unicode": "utf-8", "isolatin": "cp1252", "isolatin1": "cp1252", "isolatin2": "iso8859-2",
    "isolatin5": "iso8859-9", "isolatin9": "iso8859-15", "iso88591": "cp1252", "windowslatin1": "cp1252",
    "windowscentraleuropean": "cp1250", "windowslatin2": "cp1250", "windowscyrillic": "cp1251",
    "macosroman": "mac-roman", "macroman": "mac-roman", "maccentraleuropeanroman": "mac-latin2",
    "maccyrillic": "mac-cyrillic", "macgreek": "mac-greek", "macturkish": "mac-turkish", "macjapanese": "shift-jis",
    "dosjapanese": "cp932", "sjisx0213": "shift-jisx0213", "sjis": "cp932", "jisjapanese": "iso2022-jp",
    "eucjp": "euc-jp", "mackorean": "cp949", "doskorean": "cp949", "chinesesimplified": "gb18030",
    "chinesetraditional": "big5", "standardunicode": "utf-16", "ansi": "cp1252",
}  # fmt: skip
"""How editors (TeXShop, Emacs, WinEdt) call encodings, in small letters and digits alone."""

_DECLARATIONS = re.compile(
    rb"(?im)^%+[ \t]*!tex[ \t]+encoding[ \t]*=[ \t]*(?P<editor>[^\r\n]*)"
    rb"|^%.*?-\*-.*?coding[ \t]*:[ \t]*(?P<emacs>[\w.-]+)"
    rb"|^%+[ \t]*(?:file)?coding[ \t]*[:=][ \t]*(?P<comment>[\w.-]+)"
    rb"|^%.*?\bvim?:.*?\b(?:fenc|fileencoding)=(?P<vim>[\w.-]+)"
    rb"|^[^%\r\n]*?\\usepackage[ \t]*\[(?P<package>[^\]]*)\][ \t]*\{(?:lua)?input(?:enc|enx)\}"
    rb"|\\inputencoding[ \t]*\{(?P<switch>[^}]*)\}"
    rb"|^[^%\r\n]*?\\usepackage[ \t]*\{iso(?P<old>latin\d)\}"
    rb"|^[^%\r\n]*?\\begin[ \t]*\{CJK\*?\}[ \t]*(?:\[[^\]]*\][ \t]*)?\{(?P<cjk>\w+)\}"
    rb"|^[^%\r\n]*?\\(?:documentclass|usepackage)[ \t]*\[[^\]]*\b(?P<ctex>GBK)\b[^\]]*\][ \t]*\{ctex"
)
_HINT = re.compile(rb"coding|inputen|isolatin|CJK|GBK")
_HIGH = re.compile(rb"[\x80-\xff]+")
_NAMES = {"cp1252": "Latin-1", "mac-roman": "Mac Roman", "cp1251": "Windows Cyrillic", "koi8-r": "KOI8-R"}


def declared_encodings(data: bytes) -> list[str]:
    """The encodings that a source declares, as Python calls them or, where one is not known, as it is written."""
    encodings: list[str] = []
    for match in _DECLARATIONS.finditer(data) if _HINT.search(data) else ():
        written = match.group(str(match.lastgroup)).decode("ascii", "replace").strip()
        names = written.split(",") if match.lastgroup == "package" else [written]
        known = [encoding for name in names if (encoding := _known(name)) is not None]
        if known or written:
            encodings.append(known[-1] if known else written)
    return encodings


def foreign_encoding(data: bytes) -> str | None:
    """The first encoding that a source declares other than UTF-8."""
    return next((encoding for encoding in declared_encodings(data) if _plain(encoding) != "utf8"), None)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _known(written: str) -> str | None:
    """The encoding as Python calls it, None where there is none of that name."""
    plain = _plain(written)
    encoding = _INPUTENC.get(plain) or _EDITORS.get(plain)
    return encoding or (written.strip() if _is_codec(written.strip()) else plain if _is_codec(plain) else None)


def _is_codec(name: str) -> bool:
    try:
        "".encode(name)
    except LookupError:
        return False
    return bool(name)


def decode_source(data: bytes, where: str, on_problem: OnProblem, inherited: str | None) -> str:
    """The text of a source.

    A byte order mark decides; what is UTF-8 is read so. For anything else, what the source declares counts, then what
    is ``inherited`` of the file that loads it; where nothing was declared, the likeliest encoding is reported.
    """
    marked = guess_encoding(data)
    if marked is None:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            place = error
    elif marked != "utf-8" or data.startswith(codecs.BOM_UTF8):
        return _decoded(data, marked, where, on_problem)
    for encoding in dict.fromkeys(filter(None, (foreign_encoding(data), inherited))):
        if not _is_codec(encoding):
            on_problem(Problem(where, f"declares the encoding {encoding}, which is not known"))
            continue
        return _decoded(data, encoding, where, on_problem)
    likely = likely_encoding(data)
    line = data.count(b"\n", 0, place.start) + 1
    on_problem(Problem(f"{where}:{line}", f"is not UTF-8 (byte {data[place.start]:#04x}); read as {_NAMES[likely]}"))
    return _with_latin(data, likely)


def _decoded(data: bytes, encoding: str, where: str, on_problem: OnProblem) -> str:
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        if encoding == "cp1252":  # five bytes mean nothing there
            return data.decode("latin-1")
        line = data.count(b"\n", 0, error.start) + 1
        problem = f"is not all {encoding.upper()} (byte {data[error.start]:#04x}); what is broken is left out"
        on_problem(Problem(f"{where}:{line}", problem))
        return data.decode(encoding, "ignore").removeprefix("\ufeff")


def _with_latin(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return data.decode("latin-1")


def likely_encoding(data: bytes) -> str:
    """The likeliest encoding of bytes that are not valid UTF-8: by where letters lie in the tables of 8 bits."""
    runs = _HIGH.findall(data)
    high = b"".join(runs)
    if len(high) >= 3 * len(runs) and len(high) >= 12:  # whole words: Cyrillic
        small = sum(byte >= 0xE0 for byte in high)
        return "cp1251" if 2 * small > len(high) else "koi8-r"
    mac = sum(0x87 <= byte <= 0x9F for byte in high)  # letters on a Mac, signs elsewhere
    return "mac-roman" if 2 * mac > len(high) else "cp1252"
