"""The parser of Markdown: CommonMark with tables, footnotes, definition lists, MyST's roles and targets, and divs."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from porism.corpus.directives import VERBATIM_DIRECTIVES
from porism.corpus.markdown.raw_latex import inline_footnote, latex_block, latex_command
from porism.corpus.markdown.vault import highlight, wiki_link

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

MAX_NESTING = 40
"""Lists and quotes in each other are told apart to this depth."""
MAX_INLINE = 20_000
"""A longer paragraph stays as it is: the time for brackets and the like is steep."""

_DIV = re.compile(r":{3,}[ \t]*(.*)")
_OPTION = re.compile(r":([\w-]+):[ \t]*(.*)")
_ROLE = re.compile(r":([a-z][\w+-]*(?::[a-z][\w+-]*)?):`([^`\n]+)`")
_VERBATIM = re.compile(r"\{([\w:+-]+)\}")


@cache
def markdown_parser() -> MarkdownIt:
    """The parser, made once. Its rules of blocks and of running text are used one after the other, see below."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.admon import admon_plugin
    from mdit_py_plugins.attrs import attrs_plugin
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.myst_blocks import myst_block_plugin
    from mdit_py_plugins.myst_role import myst_role_plugin

    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable(["table", "strikethrough"])
    parser.use(attrs_plugin, spans=True).use(deflist_plugin).use(myst_role_plugin).use(myst_block_plugin)
    parser.use(admon_plugin)
    parser.use(footnote_plugin, inline=False, move_to_end=False, always_match_refs=True)
    parser.inline.ruler.before("link", "wiki_link", wiki_link)
    parser.inline.ruler.before("emphasis", "highlight", highlight)
    parser.inline.ruler.before("backticks", "rst_role", _rst_role)
    parser.inline.ruler.before("escape", "latex_command", latex_command)
    parser.inline.ruler.before("link", "inline_footnote", inline_footnote)
    parser.disable(["myst_line_comment", "myst_block_break"])  # text, in files that are not of MyST
    for name, rule in (("div", _div), ("latex_block", latex_block)):
        parser.block.ruler.before(
            "fence", name, rule, {"alt": ["paragraph", "reference", "blockquote", "list", "footnote_def"]}
        )
    return parser


def block_tokens(text: str, environment: dict[str, Any]) -> list[Token]:
    """The blocks of a text; running text is unread in tokens of the type ``inline``.

    :param environment: gathers the definitions of links and footnotes, which running text refers to.
    """
    tokens: list[Token] = []
    parser = markdown_parser()
    parser.block.parse(text, parser, environment, tokens)
    return tokens


def inline_tokens(text: str, environment: dict[str, Any]) -> list[Token]:
    """The tokens of running text.

    :raises RecursionError: its marks are nested too deeply.
    """
    tokens: list[Token] = []
    parser = markdown_parser()
    parser.inline.parse(text, parser, environment, tokens)
    return tokens


def _rst_role(state: StateInline, silent: bool) -> bool:
    """A rule for roles as reStructuredText and d2lbook write them (``:numref:`fig_a```), which MyST has in braces."""
    if state.src[state.pos] != ":":
        return False
    match = _ROLE.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        token = state.push("myst_role", "", 0)
        token.meta = {"name": match.group(1)}
        token.content = match.group(2)
    state.pos = match.end()
    return True


def _div(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A rule for the lines that begin and end divs: three colons or more, then attributes, a name or nothing.

    Divs of Pandoc nest by their order, not by the number of colons; so each line is a token ``div`` of its own, with
    what follows the colons as ``info`` and MyST's options from the lines after it in ``meta``. Directives in
    colons whose content is not valid Markdown (``:::{math}``) are a token ``fence``, as they are in backticks.
    """
    if state.is_code_block(start):
        return False
    match = _DIV.match(state.src, state.bMarks[start] + state.tShift[start], state.eMarks[start])
    if match is None:
        return False
    if silent:
        return True
    info = match.group(1).strip()
    line = start + 1
    directive = _VERBATIM.match(info)
    if directive is not None and directive.group(1) in VERBATIM_DIRECTIVES:
        token = state.push("fence", "", 0)
        first = line
        while line < end and not _line(state, line).startswith(":::"):
            line += 1
        token.content = "".join(_line(state, at) + "\n" for at in range(first, line))
        line = min(line + 1, end)
        token.map = [start, line]
    else:
        token = state.push("div", "", 0)
        options = {}
        while info and line < end and (option := _OPTION.match(_line(state, line))):
            options[option.group(1)] = option.group(2).strip()
            line += 1
        token.meta = {"options": options}
        token.map = [start, line]
    token.info = info
    token.markup = ":::"
    state.line = line
    return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
