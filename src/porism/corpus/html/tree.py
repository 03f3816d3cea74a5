"""HTML text to a tree, by lexbor (HTML's own parsing rules), with what sloppy and hostile pages need before and after.

The rules of HTML lose text that people meant (``$a<b$`` begins a tag ``b$``; a script, comment or quote without an end
takes in the rest of the page) and take quadratic time on deep nesting. So tags that cannot be meant as tags are escaped
before parsing, by one substitution that looks at names alone; the parsing itself is left to the library.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from porism.corpus.latex.tables import words

BLOCKS = words(
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li link main menu meta nav ol option p pre search "
    "section summary table tbody td tfoot th thead title tr ul"
)
"""Elements that begin a new line."""
_FORMATTING = words("b big em font i nobr s small strike strong tt u")
_SWALLOWING = words("script style textarea title xmp iframe noembed noframes svg math noscript template select")
"""Elements that hold all that follows until their end tag."""
_VOID = words("area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr")
_SELF_ENDING = words("a p li dt dd tr td th tbody thead tfoot colgroup caption option html head body")
"""Elements that end where the next of their kind begins, so that they nest in other elements only."""
_KNOWN = BLOCKS | _FORMATTING | _SWALLOWING | _VOID | _SELF_ENDING | words(
    "abbr acronym audio bdi bdo button canvas cite code data datalist del dfn dir frameset image ins kbd label map "
    "mark marquee meter object optgroup output picture progress q rb rp rt rtc ruby samp slot span sub sup time var "
    "video"
)
_MAX_DEPTH = 2000
"""Tags nested deeper are dropped: the parser's time grows with tags times depth."""

MAX_ATTRIBUTES = 256
"""A tag with more of them is dropped: the parser compares each with all others."""
_BEFORE_ATTRIBUTES = (" ", "\n", "\t", "/", '"', "'")
_FEW_ATTRIBUTES = 10_000
_LONG = 500
"""A tag of fewer characters has not so many."""

_PARSED_AS = "<!DOCTYPE html><body>"
_END = "\x1c"  # appended to the page, to see whether the parser reached it; white space for str.split and str.strip
_TAG = re.compile(r"<(?:(/?)([A-Za-z][\w:.-]*+)(?=[\s/>])([^<>]*+)|(?:![a-z\[]|\?)[^<>]*+>|!--\n*+-->)?", re.IGNORECASE)
_WHOLE_TAG = re.compile(r"""<(?:[^<>"'=]++|=\s*+(?:"[^"<]*"|'[^'<]*'|(?!["']))|["'])*+>""")
_ATTRIBUTE = r"""(?:[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+)?+)"""
_ATTRIBUTES = re.compile(rf"<[A-Za-z][^\s/>]*+{_ATTRIBUTE}{{0,{MAX_ATTRIBUTES}}}+")
_ONE_MORE = re.compile(_ATTRIBUTE)
_END_TAG = re.compile(r"</([A-Za-z][\w:.-]*)")
_PREFIX = re.compile(r"<([A-Za-z][\w.-]*):math\b")


class Tree(NamedTuple):
    """A page's body (it contains all that is not inside another element), and what was wrong, a sentence each."""

    body: LexborNode
    problems: list[str]


def parse_html(html: str, *, mark_lines: frozenset[str] = frozenset(), must_end: frozenset[str] = frozenset()) -> Tree:
    """Parses HTML in linear time; text is never lost to what has no end.

    :param html: a page or a part of one, without control characters.
    :param mark_lines: elements that get an attribute ``data-line``, the number of the line where they begin.
    :param must_end: elements whose start tags are dropped where no end tag follows, besides those like ``<script>``.
    """
    problems: list[str] = []
    html, unclosed = _without_comments(html)
    prefix = _PREFIX.search(html)
    if prefix is not None:
        html = unprefixed(html, prefix.group(1))
    repair = _Repair(html, mark_lines, must_end)
    body = _body(_TAG.sub(repair, html) + _END)
    if _END not in body.text():
        problems.append("a tag is never ended, and is kept as text")
        repair = _Repair(html, mark_lines, must_end, only_whole=True)
        body = _body(_TAG.sub(repair, html))
    unclosed |= repair.unclosed
    if unclosed:
        problems.append(f"no end of {', '.join(sorted(unclosed))}")
    if repair.crowded:
        problems.append(f"a tag with more than {MAX_ATTRIBUTES} attributes is left out ({repair.crowded} of them)")
    if repair.dropped:
        problems.append(f"tags nested deeper than {_MAX_DEPTH} levels are left out ({repair.dropped} of them)")
    return Tree(body, problems)


def parse_element(source: str, name: str) -> LexborNode | None:
    """The first element of a name in a source that holds nothing else of interest, such as one ``<math>``."""
    prefix = _PREFIX.search(source)
    if prefix is not None:
        source = unprefixed(source, prefix.group(1))
    simple = source.count("<") < _MAX_DEPTH and sum(map(source.count, _BEFORE_ATTRIBUTES)) < _FEW_ATTRIBUTES
    body = _body(source) if simple else parse_html(source).body
    node = body.first_child
    while node is not None and node.tag != name:
        node = node.next
    return node


def unprefixed(source: str, prefix: str) -> str:
    """The source with a namespace prefix taken off its elements, as HTML knows none (``<m:mi>`` becomes ``<mi>``)."""
    return re.sub(rf"(</?){re.escape(prefix)}:(?=\w)", r"\1", source).replace(f" xmlns:{prefix}=", " xmlns=")


def walk(top: LexborNode, enter: Callable[[LexborNode, str], bool], leave: Callable[[str], None]) -> None:
    """Visits all contents of ``top``, in order, without recursion.

    :param enter: gets each node and its tag (``-text`` for text); returns whether to visit its contents.
    :param leave: gets the tag after the contents of the element were visited.
    """
    above: list[tuple[str, LexborNode]] = []
    node = top.first_child
    while node is not None:
        tag = node.tag or ""
        if enter(node, tag):
            child = node.first_child
            if child is not None:
                above.append((tag, node))
                node = child
                continue
            leave(tag)
        following = node.next
        while following is None and above:
            tag, node = above.pop()
            leave(tag)
            following = node.next
        node = following


def _body(html: str) -> LexborNode:
    body = LexborHTMLParser(_PARSED_AS + html).body
    if body is None:
        raise AssertionError("a page that begins with <body> has one")
    return body


def _without_comments(html: str) -> tuple[str, set[str]]:
    """The page without what comments say, and what was not closed; a comment without end loses its opening only."""
    if "<!--" not in html:
        return html, set()
    kept: list[str] = []
    position = 0
    while (start := html.find("<!--", position)) >= 0 and (end := html.find("-->", start + 4)) >= 0:
        kept.append(html[position:start])
        if lines := html.count("\n", start, end):
            kept.append(f"<!--{chr(10) * lines}-->")  # what follows keeps its line numbers
        position = end + 3
    rest = html[position:]
    if start < 0:
        return "".join([*kept, rest]), set()
    return "".join([*kept, rest.replace("<!--", "")]), {"<!--"}


class _Repair:
    """Says for each ``<`` of a page what the parser is to see."""

    def __init__(
        self, html: str, mark_lines: frozenset[str], must_end: frozenset[str], only_whole: bool = False
    ) -> None:
        self.html, self.mark_lines, self.only_whole = html, mark_lines, only_whole
        self.must_end = _SWALLOWING | must_end
        self.large = html.count("<") >= _MAX_DEPTH
        self.unclosed: set[str] = set()
        self.dropped = self.crowded = 0
        self._counted_to = 0  # attributes are counted up to here, and were few, or
        self._were_many = False
        self._last_ends: dict[str, int] | None = None
        self._open: list[str] = []
        self._line, self._counted = 1, 0

    def __call__(self, match: re.Match[str]) -> str:
        end, name, rest = match.groups()
        tag = match.group()
        if name is None:
            return tag if len(tag) > 1 else "&lt;"
        name = name.lower()
        start = match.start()
        if self.only_whole and _WHOLE_TAG.match(self.html, start) is None:
            return f"&lt;{tag[1:]}"
        empty = rest.endswith("/") and self.html.startswith(">", match.end())
        if name not in _KNOWN:
            if not empty and "-" not in name and ":" not in name and name not in self._ends():
                return f"&lt;{tag[1:]}"  # no element: an inequality, a type parameter
        elif empty and name not in _VOID and name not in _SELF_ENDING and name not in ("math", "svg"):
            return self._without(tag, name)  # XHTML; to HTML it would be a start tag
        if name in self.must_end and not end and not empty and start > self._ends().get(name, -1):
            self.unclosed.add(f"<{name}>")
            return self._without(tag, name)
        if not end and self._is_crowded(start, rest):
            self.crowded += 1
            return self._without(tag, name)
        if self.large and name not in _VOID and name not in _SELF_ENDING and not empty:
            if name in _FORMATTING:
                return self._without(tag, name)  # each paragraph would open all that are not closed once more
            if name == "code":
                tag, name = f"<{end}samp{rest}", "samp"
            if self._too_deep(name, end != ""):
                self.dropped += not end
                return self._without(tag, name)
        if name in self.mark_lines and not end:
            self._line += self.html.count("\n", self._counted, start)
            self._counted = start
            return f'<{name} data-line="{self._line}"{rest}'
        return tag

    def _ends(self) -> dict[str, int]:
        """The position of the last end tag of each name."""
        if self._last_ends is None:
            self._last_ends = {match.group(1).lower(): match.start() for match in _END_TAG.finditer(self.html)}
        return self._last_ends

    def _is_crowded(self, start: int, rest: str) -> bool:
        """Whether a tag has too many attributes; ``rest`` is the text before its first angle bracket."""
        if start < self._counted_to:  # in a quoted value
            return self._were_many
        if len(rest) < _LONG and rest.count('"') % 2 == 0 and rest.count("'") % 2 == 0:
            return False  # no bracket is in quotes
        match = _ATTRIBUTES.match(self.html, start)
        if match is None:
            return False
        self._counted_to = match.end()
        self._were_many = _ONE_MORE.match(self.html, match.end()) is not None
        return self._were_many

    def _too_deep(self, name: str, end: bool) -> bool:
        """Whether a tag is to be dropped; counts no end tag that the parser might ignore."""
        opened = self._open
        if not end:
            opened.append(name)
            return len(opened) > _MAX_DEPTH
        deep = len(opened) > _MAX_DEPTH
        if opened and opened[-1] == name:
            opened.pop()
            return deep
        return False

    @staticmethod
    def _without(tag: str, name: str) -> str:
        """The tag as a processing instruction, which the tree holds as a leaf without text."""
        return f"<br><?{tag[1:]}" if name in BLOCKS else f"<?{tag[1:]}"
