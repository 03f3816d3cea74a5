"""The stack machine that builds a layout tree from LaTeX tokens: rows, groups and arguments, without recursion.

The machine has one current row. A plain group ``{…}`` or ``\\left…\\right`` writes into the row around it;
an argument, a script or a cell has a row of its own. A command that waits for its argument is a frame on the stack: the
next symbol or group is delivered to it. The commands themselves are in :mod:`porism.formula.latex.commands`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from porism.formula.latex.frames import (
    ARGUMENT,
    CELLS,
    COMMAND,
    GROUP,
    LEFT,
    OPTION,
    ROOT,
    TEXT,
    Build,
    Infix,
    LatexFrame,
)
from porism.formula.latex.tokens import Tokens, set_apart
from porism.formula.layout import (
    brace_mark,
    group_nodes,
    innermost,
    matrix,
    nucleus,
    set_style,
    takes_arguments,
    trim,
)
from porism.formula.tables.commands import WORD_FONTS
from porism.formula.tables.lookup import blackboard, canonical_name, kind_of
from porism.formula.tables.styles import COLOURED, ROUNDHAND
from porism.formula.tree import LayoutNode, ParseProblem, Row, Style
from porism.formula.words import TextRun

MAX_PROBLEMS = 100
_MAX_WORD_LENGTH = 64
_SCRIPT_LETTER = (Style(ROUNDHAND),)


class Machine:
    """The state of one parse; the token loop is in :func:`porism.formula.latex.parser.parse_latex`."""

    base = 0
    """Where in the current row the innermost group begins."""
    infix: Infix | None = None
    group_row: Row | None = None
    """The row in which the group that was closed last lies, from ``group_base`` to ``group_end``."""
    group_base = 0
    group_end = 0
    overflow = 0
    """Braces open beyond the greatest depth."""
    braces = 0
    environments = 0
    unsettled = False
    """Whether matrices or empty bases wait for :func:`porism.formula.normalisation.normalise`."""
    depth_reported = False
    expanded = False
    """Whether macros have been expanded in the tokens."""
    spaces: list[tuple[Row, int, int | Style]]
    """Spaces that no symbol has come after yet: the row, the index that the symbol will have in it, and the width in mu
    or what has room there."""
    phantoms: list[tuple[Style, int, int]]
    """What has room and is not seen, with its first token and that after the last, which are read at the end."""
    text_run: tuple[Row, int, LayoutNode, TextRun] | None = None
    """The text that was read last: its row, where its nodes begin there, the last of them, and its words."""
    colours: list[tuple[int, Row, int, str]]
    """Colours that were chosen: how many frames were open, the row, the index of the next symbol, ``#rrggbb``."""
    named_colours: dict[str, str]
    """The colours that the formula itself defines."""
    word: LayoutNode | None = None
    """The letter or name that an adjacent letter in a text font would continue."""

    def __init__(self, source: str, tokens: Tokens, max_depth: int) -> None:
        self.source = source
        self.texts = tokens.texts
        self.starts = tokens.starts
        self.ends = tokens.ends
        # The sentinels at the end can be looked at and are never read.
        self.stream: Iterator[tuple[int, str]] = enumerate(islice(tokens.texts, len(tokens.texts) - 2))
        self.max_depth = max_depth
        self.row: Row = []
        self.font = ""
        self.awaiting = False
        """Whether the top frame is a command that waits for an argument."""
        self.stack: list[LatexFrame] = []
        self.problems: list[ParseProblem] = []
        self.words: list[LayoutNode] = []
        self.spaces = []
        self.phantoms = []
        self.colours = []
        self.named_colours = {}

    # -- small helpers -------------------------------------------------------------------------------------------------

    def problem(self, position: int, message: str) -> None:
        """Notes a part that cannot be parsed; the notes of one formula are limited."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(ParseProblem(position, message))

    def next_visible(self, i: int) -> int:
        """Consumes white space after token ``i``; the index of the token before the next visible one."""
        texts = self.texts
        while texts[i + 1].isspace():
            next(self.stream)
            i += 1
        return i

    def take(self) -> None:
        """Consumes one token."""
        next(self.stream)

    def has_room(self, i: int) -> bool:
        """Whether one more level of nesting is allowed; reports the first time that it is not."""
        if len(self.stack) < self.max_depth:
            return True
        if not self.depth_reported:
            self.depth_reported = True
            self.problem(self.starts[i], f"nested deeper than {self.max_depth} levels: the rest is read flat")
        return False

    # -- spaces --------------------------------------------------------------------------------------------------------

    def add_space(self, width: int | Style) -> None:
        """Keeps a space, in mu or as large as something, for the symbol that comes next in the current row."""
        if self.spaces:
            self.place_spaces()
        self.spaces.append((self.row, len(self.row), width))

    def place_spaces(self, closed: Row | None = None) -> None:
        """Gives spaces to the symbols that came after them; a space at the end of the row ``closed`` goes."""
        spaces = self.spaces
        while spaces:
            row, index, width = spaces[-1]
            if isinstance(width, Style):
                if index >= len(row) and row is not closed:
                    break
                if row:
                    bearer = row[min(index, len(row) - 1)]
                    bearer.styles = (*bearer.styles, replace(width, after=index >= len(row)))
            elif index < len(row):
                row[index].space += width
            elif row is not closed:
                break
            spaces.pop()

    def _is_spaced(self) -> bool:
        """Whether a space waits for the next symbol of the current row."""
        return bool(self.spaces) and self.spaces[-1][0] is self.row and self.spaces[-1][1] == len(self.row)

    # -- colours -------------------------------------------------------------------------------------------------------

    def choose_colour(self, colour: str) -> None:
        """Sets what follows in the innermost group in a colour."""
        if self.colours and self.colours[-1][0] == len(self.stack):
            self.end_colours()
        self.colours.append((len(self.stack), self.row, len(self.row), colour))

    def end_colours(self) -> None:
        """Puts the symbols since then into the colours that were chosen in what ends now."""
        while self.colours and self.colours[-1][0] >= len(self.stack):
            _, row, index, colour = self.colours.pop()
            set_style(row[index:], COLOURED, colour)

    # -- adding nodes --------------------------------------------------------------------------------------------------

    def add(self, node: LayoutNode) -> None:
        """Appends a finished node and delivers it where a command waits for an argument."""
        self.row.append(node)
        if self.awaiting:
            self.deliver(node.end)

    def add_symbol(self, label: str, kind: str, start: int, end: int) -> None:
        """Appends a symbol in the current font."""
        if self.font and kind != "O":
            self.add_styled(label, kind, start, end)
        else:
            self.add(LayoutNode(label, kind, start, end))

    def add_styled(self, label: str, kind: str, start: int, end: int) -> None:
        """Appends a letter or a number in the current font; adjacent letters of a text font become one name."""
        font = self.font
        if len(label) > 1 and kind == "V":
            self.add(LayoutNode(label, kind, start, end))
            return
        if font == "boldsymbol":
            self.add(LayoutNode(label, kind, start, end, "bf"))
            return
        if font == "bb":
            shown = blackboard(label) if len(label) == 1 else label
            has_form = shown != label
            self.add(LayoutNode(shown, "V" if has_form else kind, start, end, "bb" if has_form else ""))
            return
        if kind == "V" and font in WORD_FONTS and not self.awaiting:
            word = self.word
            row = self.row
            if (
                # What a macro made has the span of its call, and so overlaps.
                word is not None and row and row[-1] is word and len(row) > self.base and start <= word.end
                and not self._is_spaced() and word.above is None and word.below is None
                and len(word.label) < _MAX_WORD_LENGTH and label.isascii() and word.font in (font, "")
            ):
                if len(word.label) == 1:
                    self.words.append(word)
                word.label += label
                word.start, word.end = min(word.start, start), max(word.end, end)
                word.font = "" if font in ("rm", "it") else font
                return
            # A lone italic letter is an ordinary one; upright Greek is not told apart.
            node = LayoutNode(label, kind, start, end, "" if font == "it" else font)
            if label.isascii():
                self.word = node
            else:
                node.font = ""
            row.append(node)
            return
        if font == "it" or not label.isascii() or (font != "bf" and kind == "N"):
            font = ""
        node = LayoutNode(label, kind, start, end, font)
        if font == "scr":
            node.font, node.styles = "cal", _SCRIPT_LETTER
        self.add(node)

    def finish_words(self) -> None:
        """Gives names that were put together from letters their canonical label."""
        for word in self.words:
            if not word.font:
                word.label = canonical_name(word.label)
                word.kind = kind_of(word.label)

    # -- groups and arguments ------------------------------------------------------------------------------------------

    def push(self, kind: int, i: int) -> LatexFrame:
        """Saves the state before a group; the caller sets the row and the base of the new one."""
        frame = LatexFrame(kind, self.row, self.base, self.font, self.infix, self.awaiting, self.starts[i])
        self.stack.append(frame)
        self.infix = None
        self.awaiting = False
        return frame

    def restore(self) -> LatexFrame:
        """Takes the top frame off and goes back to its state."""
        frame = self.stack.pop()
        self.row = frame.row
        self.base = frame.base
        self.font = frame.font
        self.infix = frame.infix
        self.awaiting = frame.awaiting
        return frame

    def command(self, i: int, wanted: int, build: Build, payload: Any = ()) -> None:
        """Waits for ``wanted`` arguments, then calls ``build``; without room for it the arguments stay as they are."""
        if not self.has_room(i):
            return
        frame = LatexFrame(COMMAND, self.row, self.base, self.font, self.infix, self.awaiting, self.starts[i])
        self.stack.append(frame)
        frame.wanted = wanted
        frame.build = build
        frame.payload = payload
        frame.arguments = []
        self.row = []
        self.base = 0
        self.infix = None
        if self.texts[i + 1] == "{":
            next(self.stream)
            self.braces += 1
            frame.kind = ARGUMENT
            frame.inner_font = self.font
            self.awaiting = False
        else:
            self.awaiting = True

    def open_argument(self) -> None:
        """A brace opens where a command waits: its frame also serves as that of the argument."""
        frame = self.stack[-1]
        self.braces += 1
        frame.kind = ARGUMENT
        frame.inner_font = self.font
        self.awaiting = False

    def open_row(self, kind: int, i: int) -> LatexFrame:
        """Opens something that has a row of its own."""
        frame = self.push(kind, i)
        self.row = []
        self.base = 0
        return frame

    def close_argument(self, frame: LatexFrame, i: int) -> None:
        """Ends the argument in braces that the top frame waited for; the next one may open at once."""
        if self.spaces:
            self.place_spaces(self.row)
        if self.colours:
            self.end_colours()
        arguments = frame.arguments
        arguments.append(self.row)
        if len(arguments) == frame.wanted:
            self.braces -= 1
            self.stack.pop()
            self.row = row = frame.row
            self.base = frame.base
            self.font = frame.font
            self.infix = frame.infix
            self.awaiting = False
            before = len(row)
            frame.build(self, frame, self.ends[i])
            if frame.awaiting:
                self.awaiting = True
                if len(row) > before:
                    self.deliver(self.ends[i])
            return
        self.font = frame.inner_font
        self.row = []
        self.base = 0
        if self.texts[i + 1] == "{":
            next(self.stream)
        else:
            self.braces -= 1
            frame.kind = COMMAND
            self.awaiting = True

    def deliver(self, end: int) -> None:
        """Hands the current row to the command that waits for it; a finished command may complete the next one."""
        while self.awaiting:
            frame = self.stack[-1]
            frame.arguments.append(self.row)
            if len(frame.arguments) < frame.wanted:
                self.row = []
                return
            self.restore()
            build, before = frame.build, len(self.row)
            awaiting = self.awaiting
            self.awaiting = False
            build(self, frame, end)
            self.awaiting = awaiting
            if awaiting and len(self.row) == before:
                # What was built is not a symbol: the command below still waits.
                return

    def missing(self, i: int) -> None:
        """Gives empty arguments to all commands that wait: something came that cannot be one."""
        while self.awaiting:
            self.problem(self.starts[i], "an argument is missing")
            self.place_spaces(self.row)
            frame = self.stack[-1]
            while len(frame.arguments) < frame.wanted:
                frame.arguments.append(self.row)
                self.row = []
            self.restore()
            awaiting = self.awaiting
            self.awaiting = False
            frame.build(self, frame, max(frame.start, self.starts[i]))
            self.awaiting = awaiting
            if awaiting and self.row:
                self.deliver(self.starts[i])

    def finish_infix(self, end: int) -> None:
        """Builds the fraction of a ``\\over`` from what is before and after it in the group."""
        infix = self.infix
        if infix is None:
            return
        self.infix = None
        row = self.row
        self.place_spaces(row)
        under = row[self.base:]
        del row[self.base:]
        end = max(end, infix.end)
        opening, closing = infix.fences
        if opening:
            row.append(LayoutNode(opening, "O", infix.start, infix.start))
        if infix.label == "lines":
            row.extend(matrix("lines", "", [[infix.numerator], [under]], infix.start, end))
        else:
            node = LayoutNode(infix.label, "F", infix.start, end)
            node.over, node.under = infix.numerator, under
            node.space = infix.space
            row.append(node)
        if closing:
            row.append(LayoutNode(closing, "O", end, end))

    def close(self, i: int, problem: str = "") -> None:
        """Ends the innermost open thing at token ``i``."""
        if self.awaiting:
            self.missing(i)
            return
        frame = self.stack[-1]
        kind = frame.kind
        if self.spaces:
            # The space at the end of a group is one before what follows it, unless scripts will change the row.
            scripted = self.texts[i + 1][:1] in ("^", "_", "'") and len(self.row) > self.base
            self.place_spaces(None if kind in (GROUP, LEFT, TEXT) and not scripted else self.row)
        end = self.ends[i]
        if problem:
            self.problem(frame.start, problem)
        if kind == CELLS:
            frame.build(self, frame, i)
            return
        if self.infix is not None:
            self.finish_infix(end)
        if self.colours:
            self.end_colours()
        if kind == GROUP:
            self.braces -= 1
            if len(self.row) - self.base > 1 and takes_arguments(self.row, self.base, frame.base):
                group_nodes(self.row, self.base)
            self.group_row, self.group_base, self.group_end = self.row, self.base, len(self.row)
            self.restore()
        elif kind == ARGUMENT:
            self.close_argument(frame, i)
        elif kind == OPTION:
            content = self.row
            self.restore()
            self.stack[-1].payload = (*self.stack[-1].payload, content)
        elif kind == ROOT:
            content = self.row
            self.restore()
            self.row.extend(content)
            if self.awaiting:
                self.deliver(end)
        else:
            self.restore()

    # -- scripts -------------------------------------------------------------------------------------------------------

    def script_base(self, slot: str, i: int) -> LayoutNode:
        """The node that a script after it belongs to: the last symbol, the last group, or an empty base."""
        if self.awaiting:
            self.missing(i)
        row = self.row
        length = len(row)
        if self.group_row is row and self.group_end == length and self.group_base >= self.base:
            base = self.group_base
            if length - base != 1 or getattr(row[base], slot) is not None:
                node = nucleus(row, base, slot)
                if length == base:
                    node.start = node.end = self.starts[i]
                    self.unsettled = True
                self.group_row = None
                return node
            return brace_mark(row[base], slot) or row[base]
        if length > self.base and not set_apart(row[-1], self.texts[i - 1]):
            node = row[-1]
            if node.over is None and node.under is None:
                return innermost(node, slot) if node.kind == "G" else node
            return brace_mark(node, slot) or node
        node = LayoutNode("", "G", self.starts[i], self.starts[i])
        node.within = []
        row.append(node)
        self.unsettled = True
        return node

    def attach(self, node: LayoutNode, slot: str, content: Row, position: int) -> None:
        """Adds a script; a second one on the same side goes on after the first (``f'^2`` is one script ``′2``)."""
        if not content:
            self.unsettled = True
            return
        if slot == "above":
            if node.above is None:
                node.above = content
                return
            if node.above[-1].label != "′":
                self.unsettled = True
                if content[0].label != "′":
                    self.problem(position, "a second superscript")
            node.above.extend(content)
        else:
            if node.below is None:
                node.below = content
                return
            self.problem(position, "a second subscript")
            node.below.extend(content)

    def finish(self) -> Row:
        """Closes what is still open and hands over the top row."""
        last = len(self.texts) - 2
        while self.stack:
            if self.awaiting:
                self.missing(last)
            else:
                self.close(last, "this is never closed")
        if self.infix is not None:
            self.finish_infix(self.ends[last])
        if self.words:
            self.finish_words()
        if self.spaces:
            self.place_spaces(self.row)
        trim(self.row)
        if self.colours:
            self.end_colours()
        return self.row
