"""LaTeX in Markdown outside of formulas, as R Markdown, Quarto and Pandoc hand it on and MathJax pages have it.

Theorem-like environments and proofs are blocks whose content is Markdown; other environments and commands of running
text are read as the LaTeX reader reads them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from porism.corpus.latex.environments import TextEnvironments
from porism.corpus.latex.tables import (
    CITATIONS,
    DROPPED,
    ENVIRONMENT_ARGUMENTS,
    LISTS,
    SECTION_LEVELS,
    SKIPPED_ENVIRONMENTS,
    SYMBOLS,
    TABLES,
    VERBATIM_ENVIRONMENTS,
    words,
)
from porism.corpus.latex.tokens import tokenize
from porism.corpus.markdown.vault import CODE
from porism.corpus.sections import kind_of
from porism.types import Formula

if TYPE_CHECKING:
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline

MAX_ARGUMENT_LENGTH = 5_000
"""A command with an argument of more characters stays text."""

_KEPT = words(
    "textbf textit emph texttt textsc textsl textsf textrm textup textmd textnormal textsuperscript textsubscript text "
    "mbox hbox underline uline sout hl textcolor footnote footnotetext footnotemark caption captionof paragraph "
    "subparagraph includegraphics url href enquote marginpar marginnote sidenote item"
)
"""Commands whose arguments are text, or that print something of them."""
_SWITCHES = words(
    "noindent indent centering raggedright raggedleft newpage clearpage cleardoublepage pagebreak nopagebreak "
    "linebreak nolinebreak newline par bigskip medskip smallskip bigbreak medbreak smallbreak vfill hfill "
    "hrulefill dotfill maketitle tableofcontents listoffigures listoftables appendix frontmatter mainmatter "
    "backmatter protect relax "
    "tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge bfseries itshape ttfamily scshape "
    "mdseries upshape rmfamily sffamily normalfont singlespacing onehalfspacing doublespacing landscape hline toprule "
    "midrule bottomrule qedhere qed BeginKnitrBlock EndKnitrBlock iffalse fi frametitle selectlanguage restoregeometry "
    "newgeometry pause title author date usepackage RequirePackage documentclass newtheorem newcommand renewcommand "
    "providecommand DeclareMathOperator newenvironment renewenvironment"
)
"""Commands that say how a page looks; what they ask for in brackets and braces is not text."""
_KNOWN = (
    (_KEPT | _SWITCHES | DROPPED.keys() | {name[1:] for name in CITATIONS})
    | {name[1:] for name in SYMBOLS if len(name) > 2 and name[1:].isalpha()}
)
_COMMAND = re.compile(r"\\([A-Za-z]{2,30})(\*?)")
_ENVIRONMENT = re.compile(r"\\(begin|end)[ \t]*\{([A-Za-z]{2,30}\*?)\}")
_OPTION = re.compile(r"[ \t]*\[((?:[^\[\]\n]|\[[^\[\]\n]*\])*)\]")
_ARGUMENT = re.compile(r"[ \t]*\{[^{}\n]*\}")
_VERB = re.compile(r"\\verb\*?([^A-Za-z\s*])([^\n]*?)\1")
_MARKS = re.compile(r"\\.|[{}\[\]]", re.DOTALL)
_HEADING = re.compile(rf"\\({'|'.join(SECTION_LEVELS)})\*?[ \t]*\{{")
_OF_FORMULAS = re.compile(r"(?:[A-Za-z]*(?:matrix|cases|ed|array)|split|align|equation|gather|multline)\*?\Z")
"""Environments that only formulas have."""
_READ_BY_LATEX = LISTS | TABLES.keys() | SKIPPED_ENVIRONMENTS | VERBATIM_ENVIRONMENTS | words(
    "figure figure* table table* wrapfigure algorithm algorithmic algorithmic* algorithm2e"
)
_UNIT_END = r"\\end[ \t]*\{(?P<%s>[A-Za-z]{2,30})\*?\}"
_END_IN_LINE = re.compile(
    rf"{CODE}|(?<=\S)\n(?P<text>(?![ \t]*\\begin)[^\n]*?\S)[ \t]*(?P<more>{_UNIT_END % 'first'}[ \t]*[^\s][^\n]*)"
    rf"|(?<=\S)[ \t]*(?P<end>{_UNIT_END % 'second'}[^\n]*)\n?", re.MULTILINE,
)
_ENDS = "latex_ends"
_CODE_INDENT = 4


def with_ends_on_lines(text: str) -> str:
    """A text in which the ends of theorem-like environments begin lines; what is before or after them goes to the line
    beside, so that lines keep their numbers."""
    return _END_IN_LINE.sub(_end_on_line, text) if "\\end" in text else text


def _end_on_line(match: re.Match[str]) -> str:
    name = match["first"] or match["second"]
    if name is None or kind_of(name) is None:
        return match.group()
    if match["more"]:
        return f" {match['text']}\n{match['more']}"
    return f"\n{match['end']}" + (" " if match.group().endswith("\n") and not match["end"].endswith("}") else "")


def latex_parts(source: str, labels: list[str]) -> list[str | Formula]:
    """What LaTeX prints; the labels in it are added to ``labels``."""
    reader = _LatexReader(labels)
    reader.expander.stream.swap(tokenize(source))
    while (token := reader.expander.next()) is not None:
        reader.token(token)
    return reader.out


class _LatexReader(TextEnvironments):
    """Reads a piece of LaTeX without any file."""

    def __init__(self, labels: list[str]) -> None:
        super().__init__()
        self.preamble = False
        self._labels = labels

    def label(self, name: str) -> None:
        self._labels.append(name)


def latex_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A rule for lines that begin with ``\\begin``, ``\\end`` or a heading of LaTeX.

    The tokens are ``latex_begin`` and ``latex_end`` of units, with their kind and title, headings, and ``latex`` for
    what the LaTeX reader reads. What follows them on their line is read as a line of its own.
    """
    position, stop = state.bMarks[start] + state.tShift[start], state.eMarks[start]
    if state.src[position : position + 1] != "\\" or state.is_code_block(start):
        return False
    heading, environment = _HEADING.match(state.src, position, stop), _ENVIRONMENT.match(state.src, position, stop)
    if heading is None and (environment is None or _OF_FORMULAS.match(environment.group(2))):
        return False
    if heading is not None and _closing(state.src, heading.end() - 1, stop) < 0:
        return False
    if silent:
        return True
    if heading is not None:
        close = _closing(state.src, heading.end() - 1, stop)
        _push_heading(state, start, heading.group(1), state.src[heading.end() : close])
        return _rest_of_line(state, start, end, close + 1)
    while environment is not None and not _OF_FORMULAS.match(environment.group(2)):
        name = environment.group(2)
        begins, kind = environment.group(1) == "begin", kind_of(name)
        position = environment.end()
        if begins and kind is None and name in _READ_BY_LATEX and (last := _last_line(state, start)) is not None:
            token = state.push("latex", "", 0)
            token.content = "\n".join(
                state.src[state.bMarks[line] : state.eMarks[line]] for line in range(start, last + 1)
            )
            token.map = [start, last + 1]
            state.line = last + 1
            return True
        if kind is not None:
            option = _OPTION.match(state.src, position, stop) if begins else None
            token = state.push("latex_begin" if begins else "latex_end", "", 0)
            token.meta = {"name": name, "kind": kind, "title": option.group(1) if option else ""}
            token.map = [start, start + 1]
            position = option.end() if option else position
            if begins:
                _dedent(state, start)
        elif begins:
            for kind_of_argument in ENVIRONMENT_ARGUMENTS.get(name, "o"):
                argument = (_OPTION if kind_of_argument == "o" else _ARGUMENT).match(state.src, position, stop)
                position = argument.end() if argument else position
        while position < stop and state.src[position] in " \t":
            position += 1
        environment = _ENVIRONMENT.match(state.src, position, stop)
    return _rest_of_line(state, start, end, position)


def _push_heading(state: StateBlock, line: int, command: str, title: str) -> None:
    tag = f"h{max(1, SECTION_LEVELS[command])}"
    state.push("heading_open", tag, 1).map = [line, line + 1]
    token = state.push("inline", "", 0)
    token.content, token.map, token.children = title, [line, line + 1], []
    state.push("heading_close", tag, -1)


def _rest_of_line(state: StateBlock, line: int, end: int, position: int) -> bool:
    """Reads what follows on a line as if the line began there."""
    state.line = line + 1
    if state.src[position : state.eMarks[line]].strip():
        state.bMarks[line], state.tShift[line], state.sCount[line] = position, 0, state.blkIndent
        state.bsCount[line] = 0
        state.line = line
        for rule in state.md.block.ruler.getRules(""):
            if rule(state, line, end, False):
                break
    return True


def _last_line(state: StateBlock, start: int) -> int | None:
    """The line where the first environment that begins in a line ends, None where it is never ended."""
    if _ENDS not in state.env:
        ends: dict[int, int] = {}
        begun: defaultdict[str, list[int]] = defaultdict(list)
        for line in range(state.lineMax):
            for match in _ENVIRONMENT.finditer(state.src, state.bMarks[line], state.eMarks[line]):
                if match.group(1) == "begin":
                    begun[match.group(2)].append(line)
                elif begun[match.group(2)]:
                    ends[begun[match.group(2)].pop()] = line
        state.env[_ENDS] = ends
    found_at: int | None = state.env[_ENDS].get(start)
    return found_at


def _dedent(state: StateBlock, start: int) -> None:
    """Takes the indentation of LaTeX off the content of an environment, which Markdown would take for code."""
    last = _last_line(state, start)
    first = next((line for line in range(start + 1, last or 0) if not state.isEmpty(line)), None)
    if last is None or first is None or (indent := state.sCount[first] - state.blkIndent) < _CODE_INDENT:
        return
    for line in range(first, last):
        position = state.bMarks[line]
        columns = 0
        while columns < min(indent, state.sCount[line]) and state.src[position] in " \t":
            columns += 1 if state.src[position] == " " else _CODE_INDENT - columns % _CODE_INDENT
            position += 1
        state.tShift[line] = max(0, state.tShift[line] - (position - state.bMarks[line]))
        state.sCount[line] = max(0, state.sCount[line] - columns)
        state.bMarks[line] = position


@lru_cache(8)
def _closings(text: str) -> dict[int, int]:
    """Where the braces and brackets of a text are closed, by where they open."""
    closings: dict[int, int] = {}
    opened: dict[str, list[int]] = {"}": [], "]": []}
    for match in _MARKS.finditer(text):
        mark = match.group()
        if mark in "{[":
            opened["}" if mark == "{" else "]"].append(match.start())
        elif opened.get(mark):
            closings[opened[mark].pop()] = match.start()
    return closings


def _closing(text: str, opening: int, stop: int) -> int:
    """Where the brace or bracket that opens at a position is closed, -1 where it is not, or too far away."""
    closing = _closings(text).get(opening, -1)
    return closing if closing < min(stop, opening + MAX_ARGUMENT_LENGTH) else -1


def latex_command(state: StateInline, silent: bool) -> bool:
    """A rule for commands of running text with their arguments, and for environments that only set text."""
    match = _COMMAND.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    name, position = match.group(1), match.end()
    if name in ("begin", "end"):
        environment = _ENVIRONMENT.match(state.src, state.pos, state.posMax)
        if environment is None or _OF_FORMULAS.match(environment.group(2)):
            return False
        state.pos = environment.end()
        return True
    if (verbatim := _VERB.match(state.src, state.pos, state.posMax)) is not None:
        if not silent:
            state.push("code_inline", "code", 0).content = verbatim.group(2)
        state.pos = verbatim.end()
        return True
    if name not in _KNOWN:
        return False
    while position < state.posMax and state.src[position] in "[{":
        close = _closing(state.src, position, state.posMax)
        if close < 0:
            break
        position = close + 1
    if name in _KEPT and position == match.end() and name != "item":
        return False
    if not silent and (name not in _SWITCHES or f"\\{name}" in SYMBOLS):
        state.push("latex", "", 0).content = state.src[state.pos : position]
    state.pos = position
    return True


def inline_footnote(state: StateInline, silent: bool) -> bool:
    """A rule for Pandoc's footnotes in running text, ``^[…]``: they are read where they are, in parentheses."""
    if not state.src.startswith("^[", state.pos):
        return False
    close = _closing(state.src, state.pos + 1, state.posMax)
    if close < 0:
        return False
    if not silent:
        start, stop = state.pos + 2, state.posMax
        state.push("text", "", 0).content = " ("
        state.pos, state.posMax = start, close
        state.md.inline.tokenize(state)
        state.push("text", "", 0).content = ")"
        state.posMax = stop
    state.pos = close + 1
    return True
