"""Beamer's lectures: frames are sections, blocks have titles, and what some slides of a frame show is shown."""

from __future__ import annotations

from collections.abc import Callable

from porism.corpus.latex.environments import TextEnvironments
from porism.corpus.latex.overlays import CHOICES, MARKED, SHOWN, skip_mode, skip_overlay
from porism.corpus.latex.tables import words

BLOCKS = words("block alertblock exampleblock beamerboxesrounded tblock infoblock")
FRAME_LEVEL = 4
"""The level of a frame among the headings."""


class BeamerText(TextEnvironments):
    """Reads frames, blocks and overlays."""

    def __init__(self) -> None:
        self._untitled_frame = False
        super().__init__()

    def begin_frame(self, title: list[str] | None, line: int) -> None:
        """Begins the section that a frame is."""

    def title_frame(self, title: list[str]) -> None:
        """Gives the frame that has begun its title."""

    def _command_table(self) -> dict[str, Callable[[str], None]]:
        table = super()._command_table()
        return {
            **table, **dict.fromkeys(SHOWN, self._shown), **dict.fromkeys(CHOICES, self._choice),
            **{command: self._marked(table.get(command)) for command in MARKED}, "\\frame": self._frame,
            "\\frametitle": self._frame_title, "\\framesubtitle": self._frame_subtitle, "\\note": self._note,
            "\\pause": lambda _: self._option(),
        }  # fmt: skip

    def other_command(self, token: str) -> None:
        if token[-1].isalpha():
            skip_overlay(self.expander)
        super().other_command(token)

    def _shown(self, command: str) -> None:
        skip_mode(self.expander)
        skip_overlay(self.expander)

    def _choice(self, command: str) -> None:
        """``\\alt<2>{…}{…}``: all that some slide shows."""
        skip_overlay(self.expander)
        groups = [self.expander.group() or [] for _ in range(CHOICES[command][0])]
        self.expander.stream.push([token for group in groups for token in ("{", *group, "}", " ")])

    def _marked(self, handler: Callable[[str], None] | None) -> Callable[[str], None]:
        """What reads a command that an overlay may follow."""

        def read(command: str) -> None:
            skip_overlay(self.expander)
            if handler is not None:
                handler(command)
            else:
                self.other_command(command)

        return read

    def begin_environment(self, name: str) -> bool:
        skip_overlay(self.expander)
        if name in self.expander.environments or name in self.declarations.theorems:
            return False
        if name in ("frame", "plainframe") and not self.inline:
            self._begin_frame()
            self.open(name, lambda: self.out.append("\n\n"))
            return True
        if name in BLOCKS:
            self._option()
            self._block()
            self.open(name, lambda: self.out.append("\n\n"))
            return True
        return False

    def _begin_frame(self) -> None:
        reader, line = self.expander, self.line
        reader.optional()  # [<+->], [fragile]
        reader.optional()
        title = reader.group() if reader.follows("{") else None
        subtitle = reader.group() if title is not None and reader.follows("{") else None
        self._untitled_frame = not title
        self.begin_frame(title, line)
        if subtitle:
            reader.stream.push([*subtitle, "\n\n"])

    def _frame(self, command: str) -> None:
        """``\\frame{\\frametitle{…} …}``; LaTeX's own ``\\frame`` is a box."""
        reader = self.expander
        skip_overlay(reader)
        reader.optional()
        reader.optional()
        if self.inline or self.preamble or not reader.follows("{"):
            return
        tokens = reader.group() or []
        if "\\frametitle" in tokens or "\\begin" in tokens:
            self._untitled_frame = True
            self.begin_frame(None, self.line)
        reader.stream.push(["{", *tokens, "}"])

    def _frame_title(self, command: str) -> None:
        skip_overlay(self.expander)
        self.expander.optional()
        title = self.expander.group() or []
        if self.preamble:
            return
        if self._untitled_frame:
            self._untitled_frame = False
            self.title_frame(title)
        else:
            self.expander.stream.push(["\n\n", *title, "\n\n"])

    def _frame_subtitle(self, command: str) -> None:
        skip_overlay(self.expander)
        subtitle = self.expander.group() or []
        if not self.preamble:
            self.expander.stream.push([*subtitle, "\n\n"])

    def _block(self) -> None:
        """The title of a block, set apart from its text."""
        if not self.expander.follows("{"):
            self.out.append("\n\n")
            return
        title = self.content(self.expander.group() or [])
        self.out.append("\n\n")
        if title:
            self.out.extend([*title.parts, " " if title.text.rstrip().endswith((".", ":", "?", "!")) else ": "])

    def _note(self, command: str) -> None:
        """A note for the speaker: a paragraph."""
        skip_overlay(self.expander)
        self._option()
        skip_overlay(self.expander)
        self._wrapped("\n\n", "\n\n")
