"""LaTeX source as a stream of tokens: files and expansions on one stack, comments gone, lines counted.

A token is a string: a control sequence (``\\alpha``, ``\\,``), one special character (``{ } $ & # ^ _ ~ [ ]``), ``$$``,
or a run of other characters. A line end is a space, a blank line is ``PAR``. A token that starts with NUL is the
stream's own: ``EOF_TOKEN`` where a file ends, or a control sequence that must not be expanded (``\\0\\phi``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any, Literal, Self

from porism.corpus.latex.tables import SECTION_LEVELS
from porism.formula.macros.tokens import EOF_TOKEN, PAR

TOKENS_PER_SOURCE_TOKEN = 24
"""How many tokens of expansion each token of a file pays for: what makes reading linear in the size of the source."""
FUEL_CAPACITY = 100_000
"""How many tokens of expansion can be saved up, so that a few large macros are not trouble."""

MAX_PARAGRAPH = 5_000
"""So many characters are looked at for the end of something inside a paragraph."""

_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_TEMPLATE = r"[^\\{{}}$%~^_&#\n\[\]]+|\\(?:{letters}+|[\s\S]?)|\$\$?|\n\s*|[{{}}~^_&#\[\]]|%[^\n]*(?:\n[ \t]*)?"
_LEXERS = {at: re.compile(_TEMPLATE.format(letters="[A-Za-z@]" if at else "[A-Za-z]")) for at in (False, True)}
_CONTROL_CHARACTERS = re.compile("[\0-\x08\x0b\x0e-\x1f\x7f\ufffc]")


def clean(text: str) -> str:
    """The text with Unix line ends and without control characters, which TeX would refuse."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    return _CONTROL_CHARACTERS.sub(" ", text)


_FORMAT = re.compile(r"%&[ \t]*([A-Za-z][\w.-]*)")
_TEX_FORMATS = frozenset(
    "tex plain latex latex-dev pdftex pdfetex pdflatex pdflatex-dev xetex xelatex xelatex-dev luatex lualatex "
    "luahbtex lualatex-dev etex elatex eplain amstex amslatex lamstex mltex mllatex platex uplatex ptex uptex".split()
)
_ENVIRONMENT = re.compile(r"\s*\{([^{}\\#]{1,60})\}")
_HEADING = re.compile(r"\s*\*?\s*[\[{]")
_PLACED = frozenset("\\" + name for name in ("begin", *SECTION_LEVELS))


class Placed(str):
    """A control sequence that begins a document, with its place: it may be read first as a part of an argument."""

    __slots__ = ("file", "line", "name", "state")
    file: str
    line: int
    name: str
    """The environment or heading that begins here; empty where none does, as in ``\\let\\section``."""
    state: Literal["unread", "read", "omitted"]
    """Whether it has been carried out, or has been left out on purpose."""

    def __new__(cls, token: str, file: str, line: int, name: str) -> Self:
        self = super().__new__(cls, token)
        self.file, self.line, self.name, self.state = file, line, name, "unread"
        return self


class FileFrame:
    """The unread rest of one file."""

    __slots__ = (
        "_counted", "_line", "_missing", "at_letter", "declared", "folder", "format", "has_preamble_only", "is_class",
        "is_document", "is_repeated", "name", "options", "placed", "pos", "text",
    )  # fmt: skip

    def __init__(self, text: str, name: str, *, at_letter: bool = False, folder: str = "") -> None:
        self.text, self.name, self.at_letter, self.folder = text, name, at_letter, folder
        self.is_class = at_letter  # a class or style file; what is a letter may change in it
        self.is_document = False  # a document of its own, in its place in a larger one
        self.has_preamble_only = False  # what it has after its preamble is not read
        self.is_repeated = False  # read before, with other settings
        self.options: list[str] = []  # given to a class or style file
        self.declared: dict[str, list[str]] = {}  # the options that it declares, and their code
        self.placed: list[Placed] = []  # what begins documents, as far as it was cut into tokens
        self.pos = 0
        self._counted, self._line = 0, 1
        self._missing: set[str] = set()
        self.format = self._named_format()
        """The dumped format whose source is the beginning of the preamble; empty for none and for those of TeX."""

    def _named_format(self) -> str:
        """What the first line names, ``%&macros``."""
        match = _FORMAT.match(self.text)
        name = match.group(1) if match is not None else ""
        return "" if name.lower() in _TEX_FORMATS or name == self.stem else name

    def next(self) -> str | None:
        """The next token, None at the end."""
        text = self.text
        while self.pos < len(text):
            match = _LEXERS[self.at_letter].match(text, self.pos)
            if match is None:  # every character starts some alternative
                self.pos += 1
                continue
            self.pos = match.end()
            token = match.group()
            first = token[0]
            if first == "%":
                if text.startswith("\n", self.pos):  # the next line is blank: a paragraph ends
                    return PAR
                continue
            if first == "\n":
                return PAR if token.count("\n") > 1 else " "
            return self._place(token) if token in _PLACED else token
        return None

    def _place(self, token: str) -> Placed:
        match = (_ENVIRONMENT if token == "\\begin" else _HEADING).match(self.text, self.pos)
        name = "" if match is None else match.group(1) if token == "\\begin" else token[1:]
        placed = Placed(token, self.name, self.line, name)
        if not self.is_class:
            self.placed.append(placed)
        return placed

    @property
    def stem(self) -> str:
        """The name of the file without its folder and suffix."""
        return PurePosixPath(self.name).stem

    @property
    def state(self) -> tuple[bool, bool, str]:
        """What reading has changed of it, beside the position."""
        return self.at_letter, self.is_document, self.folder

    def take_state(self, state: Sequence[Any]) -> None:
        """Takes a :attr:`state`."""
        self.at_letter, self.is_document, self.folder = state

    def end(self) -> None:
        """What is left of the file is not read."""
        self.pos = len(self.text)

    @property
    def line(self) -> int:
        """The number of the line that is being read, from 1."""
        self._line += self.text.count("\n", self._counted, self.pos)
        self._counted = self.pos
        return self._line

    def until(self, end: str) -> str | None:
        """The raw text before the next ``end``, which is passed over; None (and nothing read) where there is none."""
        if end in self._missing:
            return None
        place = self.text.find(end, self.pos)
        if place < 0:
            self._missing.add(end)
            return None
        raw = self.text[self.pos : place]
        self.pos = place + len(end)
        return raw

    def has_ahead(self, end: str) -> bool:
        """Whether this comes later in the file."""
        if end not in self._missing and self.text.find(end, self.pos) < 0:
            self._missing.add(end)
        self._missing.add("")  # what was looked at may be far away
        return end not in self._missing

    def until_in_paragraph(self, end: str) -> str | None:
        """The raw text before the next ``end`` of this paragraph, which is passed over; None where there is none."""
        place = self.text.find(end, self.pos, self.pos + MAX_PARAGRAPH)
        raw = self.text[self.pos : place] if place >= 0 else ""
        if place < 0 or _BLANK_LINE.search(raw):
            self._missing.add("")
            return None
        self.pos = place + len(end)
        return raw

    @property
    def has_missed(self) -> bool:
        """Whether something was looked for that may be as far away as the end of the file."""
        return bool(self._missing)

    def sees(self, pattern: re.Pattern[str]) -> bool:
        """Whether the pattern matches right here; nothing is read."""
        return pattern.match(self.text, self.pos) is not None

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What the pattern matches right here; it is passed over."""
        match = pattern.match(self.text, self.pos)
        if match:
            self.pos = match.end()
        return match


def tokenize(text: str) -> list[str]:
    """The tokens of a short text."""
    return list(iter(FileFrame(text, "").next, None))


class _TokenFrame:
    __slots__ = ("pos", "tokens")

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens, self.pos = tokens, 0


class TokenStream:
    """A stack of files and token lists that reads as one stream."""

    def __init__(self) -> None:
        self._frames: list[FileFrame | _TokenFrame] = []
        self.fuel = FUEL_CAPACITY

    def open_file(self, frame: FileFrame) -> None:
        """What comes next is the file; after it ``EOF_TOKEN`` and what would have come."""
        self._frames.append(frame)

    def push(self, tokens: Sequence[str]) -> None:
        """What comes next is these tokens."""
        if not tokens:
            return
        frames = self._frames
        while frames and isinstance(frame := frames[-1], _TokenFrame) and frame.pos >= len(frame.tokens):
            frames.pop()
        frames.append(_TokenFrame(tokens))

    def next(self) -> str | None:
        """The next token, None when everything has been read."""
        frames = self._frames
        while frames:
            frame = frames[-1]
            if isinstance(frame, _TokenFrame):
                pos = frame.pos
                if pos < len(frame.tokens):
                    frame.pos = pos + 1
                    if frame.tokens[pos]:
                        return frame.tokens[pos]
                else:
                    frames.pop()
                continue
            token = frame.next()
            if token is None:
                frames.pop()
                return EOF_TOKEN
            if self.fuel < FUEL_CAPACITY:
                self.fuel += TOKENS_PER_SOURCE_TOKEN
            return token
        return None

    @property
    def file(self) -> FileFrame | None:
        """The file that is being read (also while an expansion is read before the rest of it)."""
        return next((frame for frame in reversed(self._frames) if isinstance(frame, FileFrame)), None)

    @property
    def file_depth(self) -> int:
        """How many files are open."""
        return sum(isinstance(frame, FileFrame) for frame in self._frames)

    @property
    def raw_file(self) -> FileFrame | None:
        """The file, if the next token comes from it and from no expansion."""
        frames = self._frames
        while frames and isinstance(frame := frames[-1], _TokenFrame) and frame.pos >= len(frame.tokens):
            frames.pop()
        return frames[-1] if frames and isinstance(frames[-1], FileFrame) else None

    def files_only(self) -> list[FileFrame] | None:
        """The open files, outermost first; None while something of an expansion is left to read."""
        self._frames = [
            frame for frame in self._frames if isinstance(frame, FileFrame) or frame.pos < len(frame.tokens)
        ]
        files = [frame for frame in self._frames if isinstance(frame, FileFrame)]
        return files if len(files) == len(self._frames) else None

    def go_on(self, frames: Sequence[FileFrame]) -> None:
        """What is left to read is the rest of these files."""
        self._frames = list(frames)

    def drop_expansions(self) -> None:
        """Forgets what remains of expansions and continues in the file."""
        while self._frames and isinstance(self._frames[-1], _TokenFrame):
            self._frames.pop()

    def drop_all(self) -> None:
        """Forgets everything that is left to read."""
        self._frames.clear()

    def swap(self, tokens: Sequence[str]) -> list[FileFrame | _TokenFrame]:
        """Replaces everything left to read by these tokens and returns it, for :meth:`restore`."""
        frames, self._frames = self._frames, []
        self.push(tokens)
        return frames

    def restore(self, frames: list[FileFrame | _TokenFrame]) -> None:
        """Takes back what :meth:`swap` returned."""
        self._frames = frames
