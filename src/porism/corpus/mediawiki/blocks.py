"""The lines of wikitext as HTML, a line for each: headings, lists, tables and paragraphs."""

from __future__ import annotations

import re
from html import escape

from porism.corpus.mediawiki.formulas import MASK
from porism.corpus.sections import own_title, titled_kind
from porism.types import Content

_HEADING = re.compile(r"(={1,6})\s*(.+?)\s*\1[\s\x0b]*\Z")
_ITEM = re.compile(r"([*#;:]+)[ \t]*(.*)", re.DOTALL)
_CELLS = re.compile(r"\|\||!!")
_CELL_ATTRIBUTES = re.compile(r"[^|=\[\]{}\x02]*=[^|\[\]{}\x02]*\|(?!\|)")
_ALONE = re.compile(r"[\s\x0b]*\x02(\d+)\x03[\s\x0b.,;:]*\Z")

MAX_HEADING_LENGTH = 1_000
"""Longer lines are no headings."""
_DOLLARS_ALONE = re.compile(r"\A\$([^$]+)\$([\s\x0b.,;:]*)\Z")

BACK_MATTER = frozenset(
    name.lower() for name in (
        "References", "Sources", "External links", "Further reading", "See also", "Also see", "Bibliography",
        "Citations", "Footnotes", "Notes", "Notes and references", "Works cited", "Source of Name", "Linguistic Note",
        "Einzelnachweise", "Literatur", "Weblinks", "Siehe auch", "Quellen", "Références", "Bibliographie",
        "Liens externes", "Voir aussi", "Notes et références", "Articles connexes", "Referencias", "Enlaces externos",
        "Bibliografía", "Véase también", "Bibliografia", "Note", "Voci correlate", "Collegamenti esterni",
        "Altri progetti", "Referências", "Ligações externas", "Ver também", "Примечания", "Литература", "Ссылки",
        "См. также", "Przypisy", "Linki zewnętrzne", "Zobacz też", "Literatuur", "Zie ook", "Externe links", "参考文献",
        "外部リンク", "関連項目", "脚注", "参见", "外部链接", "注释", "参考资料",
    )
)  # fmt: skip
"""Headings of what is not about the subject, but about sources and other pages."""


class WikiLines:
    """Turns the lines of one page into HTML; a unit, a part that is no content, and tables stay open over lines.

    :param title: of the page, which the first statement under a heading without a title of its own has.
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self.alone: set[int] = set()
        """The numbers of what stands alone in indented lines: such formulas are displayed."""
        self._open = ""  # the end tag of the part under the last heading
        self._tables = 0
        self._is_titled = False
        self._after_blank = False

    def html(self, text: str) -> str:
        """The HTML of wikitext without templates and links."""
        lines = [self._line(line) for line in text.split("\n")]
        return f"<title>{escape(self._title)}</title>{chr(10).join(lines)}{'</table>' * self._tables}{self._open}"

    def _line(self, line: str) -> str:
        start = line.lstrip(" \t")
        after_blank, self._after_blank = self._after_blank, not start
        if not start:
            return ""
        if len(line) <= MAX_HEADING_LENGTH and (heading := _HEADING.match(line)) is not None:
            return self._heading(len(heading[1]), heading[2], line)
        if start.startswith("{|"):
            self._tables += 1
            return "<table><tr>"
        if self._tables and start[0] in "|!":
            return self._row(start)
        if start.startswith("----"):
            return "<hr>"
        if (item := _ITEM.match(line)) is not None:
            return self._item(item[1], item[2])
        return f"<p>{line}" if after_blank else line

    def _heading(self, level: int, text: str, line: str) -> str:
        tables, self._tables = "</table>" * self._tables, 0
        end, self._open = tables + self._open, ""
        plain = Content(MASK.sub("", text).strip())
        if plain.text.lower() in BACK_MATTER:
            self._open = "</nav>"
            return f"{end}<nav>"
        kind = titled_kind(plain)
        if kind is None:
            anchor = "_".join(plain.text.split())
            return f'{end}<h{level} id="{escape(anchor)}">{text}</h{level}>{_rest(line)}'
        own = own_title(plain)
        title = own.text if own is not None else ""
        if not title and kind != "proof" and not self._is_titled:
            self._is_titled, title = True, self._title
        self._open = "</div>"
        named = f' title="{escape(title)}"' if title else ""
        return f'{end}<div class="{kind}"{named}>{_rest(line)}'

    def _row(self, line: str) -> str:
        if line.startswith("|}"):
            self._tables -= 1
            return f"</table>{line[2:]}"
        if line.startswith("|-"):
            return "<tr>"
        if line.startswith("|+"):
            return f"<caption>{line[2:]}</caption>"
        tag = "th" if line[0] == "!" else "td"
        cells = []
        for cell in _CELLS.split(line[1:]):
            attributes = _CELL_ATTRIBUTES.match(cell)
            cells.append(f"<{tag}>{cell[attributes.end() if attributes else 0 :]}</{tag}>")
        return "".join(cells)

    def _item(self, marks: str, text: str) -> str:
        if (alone := _ALONE.match(text)) is not None:
            self.alone.add(int(alone[1]))
        elif marks[-1] == ":":
            text = _DOLLARS_ALONE.sub(r"$$\1$$\2", text)
        tag = {":": "dd", ";": "dt"}.get(marks[-1], "li")
        return f"<{tag}>{text}</{tag}>"


def _rest(line: str) -> str:
    return "\x0b" * line.count("\x0b")
