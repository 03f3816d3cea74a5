"""HTML fragments and pages to content: text in blocks, formulas in place, in whatever way they were put on the page.

A formula may stand in a ``math-container`` span (Stack Exchange, ARQMath), a ``<math>`` element, a
``<script type="math/tex">`` (MathJax 2), a KaTeX or pandoc span, an image of WordPress, or between dollars.

The tokenizer is a regular expression in which every alternative ends at the next few ``<``, so any input takes linear
time; what is no tag of HTML (``a <b$``, ``vector<T>``) stays text, which formulas in sloppy HTML need.
"""

from __future__ import annotations

import re
from html import unescape

from porism.corpus.base import clean
from porism.corpus.mathtext import describe_unbalanced, split_parts
from porism.errors import OnProblem, Problem
from porism.types import PLACEHOLDER, Content, Formula, Notation

# Quotes count after an equals sign only, as in HTML itself; a quoted value holds four < at most.
_PLAIN_ATTRIBUTES = r"""(?:[^<>=]++|=\s*+(?:"[^"<]*"|'[^'<]*')|=(?!\s*+["']))*+"""
_ATTRIBUTE_WITH_LESS_THAN = r"""=\s*+(?:"[^"<]*(?:<[^"<]*){1,4}"|'[^'<]*(?:<[^'<]*){1,4}')"""
_TOKEN = re.compile(
    r'<span class="math-container"(?: id="([^"<>]*)")?>([^<]*)</span>'
    rf"|<(/?)([A-Za-z][\w:-]*)(?=[\s/>])({_PLAIN_ATTRIBUTES}(?:{_ATTRIBUTE_WITH_LESS_THAN}{_PLAIN_ATTRIBUTES}){{0,2}})>"
    r"|<!--|<[!?][^<>]*>"
)
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+)))?""")
_OPENING = re.compile(rf"<(\w+:)?math\b({_PLAIN_ATTRIBUTES})>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_HINTS = re.compile(r"\$|\\[(\[]|\\begin")
_ANNOTATION = re.compile(r"<(?:\w+:)?annotation\b([^<>]*)>([^<]*)</", re.IGNORECASE)
_TEX_ENCODING = re.compile(
    r"""\bencoding\s*=\s*["']?(?:(?:application|text)/(?:x-)?)?(?:la)?tex\b""", re.IGNORECASE
)
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)(?:[A-Za-z][A-Za-z0-9]{0,40}|#\d{1,8}|#[xX][0-9A-Fa-f]{1,7});")
_CDATA = re.compile(r"^\s*(?:%\s*)?<!\[CDATA\[|(?:%\s*)?\]\]>\s*$")



def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BLOCKS = _names(
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 head header hr html legend li link main menu meta nav ol option p pre section summary table "
    "tbody td tfoot th thead title tr ul"
)
_INLINE = _names(
    "a abbr acronym area audio b base bdi bdo big br button canvas cite code col colgroup data datalist del dfn em "
    "embed font i iframe img input ins kbd label map mark meter nobr object output param picture progress q rp rt ruby "
    "s samp select small source span strike strong sub sup time track tt u var video wbr"
)
_RAW = _names("script style svg noscript template textarea")
"""Elements whose content is no text of the page; scripts may hold formulas."""
_KNOWN = _BLOCKS | _INLINE | _RAW | {"math"}
_RENDERED = _names(
    "katex-html MathJax_Preview MathJax MathJax_Display MathJax_CHTML MathJax_SVG MathJax_SVG_Display MJXc-display"
)
"""Classes of what a script has drawn of a formula whose source stands beside it."""


def html_to_content(
    html: str,
    *,
    formulas: Notation = "latex",
    delimiters: bool = True,
    where: str = "html",
    on_problem: OnProblem | None = None,
) -> Content:
    """Turns HTML into content: tags dropped, blocks on lines of their own, white space collapsed but in ``<pre>``.

    :param formulas: the notation taken from ``<math>`` elements that carry both MathML and LaTeX (in an annotation or
        as ``alttext``); the other one is taken where it is the only one.
    :param delimiters: whether ``$…$``, ``\\(…\\)`` and bare environments in the text are formulas; never in code.
    :param where: what a reported problem names as its place.
    :param on_problem: is told, at most once a call each, of lonely delimiters and unclosed elements.
    """
    html = clean(html)
    if "<" not in html and "&" not in html and _HINTS.search(html) is None:
        return Content(" ".join(html.split()))
    converter = _Converter(html, formulas, delimiters)
    content = converter.run()
    if on_problem is not None:
        for what in converter.problems():
            on_problem(Problem(where, what))
    return content


def strip_delimiters(source: str) -> tuple[str, bool]:
    """LaTeX without the delimiters around it, and whether they are those of a display."""
    source = source.strip()
    if source.startswith("$$") and source.endswith("$$") and len(source) >= 4:
        return source[2:-2].strip(), True
    if source.startswith("$") and source.endswith("$") and len(source) >= 2:
        return source[1:-1].strip(), False
    if source.startswith("\\(") and source.endswith("\\)"):
        return source[2:-2].strip(), False
    if source.startswith("\\[") and source.endswith("\\]"):
        return source[2:-2].strip(), True
    return source, source.startswith("\\begin{")


def formula_of_math(
    element: str, *, formulas: Notation = "latex", formula_id: str | None = None, visual_id: str | None = None
) -> Formula | None:
    """The formula of a ``<math>…</math>`` element as it stands in HTML or XML; None where it is empty.

    LaTeX comes from an annotation or ``alttext``. MathML has its named entities (``&InvisibleTimes;``) replaced by
    characters and a namespace prefix removed, so that it reads as XML by itself.
    """
    opening = _OPENING.match(element)
    if opening is None:
        return None
    attributes = _attributes(opening.group(2))
    display = attributes.get("display") == "block" or attributes.get("mode") == "display"
    formula_id = formula_id or attributes.get("id")
    annotation = next((found for found in _ANNOTATION.finditer(element) if _TEX_ENCODING.search(found.group(1))), None)
    latex = unescape(annotation.group(2)).strip() if annotation else ""
    latex = latex or attributes.get("alttext", "").strip()
    drawn = _TAG.sub("", element[opening.end():annotation.start() if annotation else len(element)]).strip()
    if latex and (formulas == "latex" or not drawn):
        return Formula(latex, "latex", formula_id, visual_id, display)
    if not drawn:
        return None
    source = _ENTITY.sub(_entity_as_character, element) if "&" in element else element
    prefix = opening.group(1)
    if prefix:
        source = re.sub(rf"(</?){prefix}", r"\1", source).replace(f"xmlns:{prefix[:-1]}=", "xmlns=", 1)
    return Formula(source, "mathml", formula_id, visual_id, display)


def _entity_as_character(match: re.Match[str]) -> str:
    character = unescape(match.group())
    return "".join({"&": "&amp;", "<": "&lt;", ">": "&gt;"}.get(part, part) for part in character)


def _attributes(text: str) -> dict[str, str]:
    return {
        name.lower(): unescape(double or single or bare) for name, double, single, bare in _ATTRIBUTE.findall(text)
    }


class _Converter:
    """The state of one conversion: finished blocks, and the pieces of the open one.

    In ``pieces`` a placeholder stands for the next of ``objects``: a formula, or text of inline code, which is kept
    away from the search for dollars.
    """

    def __init__(self, html: str, formulas: Notation, delimiters: bool) -> None:
        self.html = html
        self.notation: Notation = formulas
        self.delimiters = delimiters
        self.blocks: list[str] = []
        self.formulas: list[Formula] = []
        self.pieces: list[str] = []
        self.objects: list[Formula | str] = []
        self.pre = 0
        self.code = 0
        self.missing: set[str] = set()  # closing tags that do not occur any more
        self.unclosed: list[str] = []
        self.unbalanced: list[str] = []

    def problems(self) -> list[str]:
        """What was wrong, a sentence each."""
        found = self.unbalanced[:1]
        if len(self.unbalanced) > 1:
            found = [f"{found[0]}, and in {len(self.unbalanced) - 1} more paragraphs"]
        if self.unclosed:
            found.append(f"no end of {', '.join(sorted(set(self.unclosed)))}")
        return found

    def run(self) -> Content:
        html, search, pieces = self.html, _TOKEN.search, self.pieces
        position = 0
        skipped, depth = "", 0  # the element that is being skipped, and how many of its name are open
        while (match := search(html, position)) is not None:
            start = match.start()
            if start > position and not skipped:
                self._text(html[position:start])
            position = match.end()
            name = match.group(4)
            if name is None:
                if match.group(2) is not None:
                    if not skipped:
                        self._formula(match.group(2), match.group(1))
                elif match.group() == "<!--":
                    position = self._after("-->", position)
                continue
            name = name.lower()
            closes = match.group(3) != ""
            if skipped:
                if name == skipped:
                    depth += -1 if closes else 1
                if depth == 0 or (skipped == "span" and name in _BLOCKS):
                    skipped = ""
                    if name != "span":
                        self._flush()
                continue
            if name not in _KNOWN and name.rpartition(":")[2] != "math":
                if "-" not in name and ":" not in name:
                    self._text(match.group())  # no element: an inequality, a type parameter
                continue
            if name in _BLOCKS:
                self._flush()
                if name == "pre":
                    self.pre = max(0, self.pre - 1) if closes else self.pre + 1
                elif name == "div" and not closes and "class" in match.group(5):
                    position, skipped = self._special(name, match.group(5), position)
            elif name == "span":
                if not closes and "class" in match.group(5):
                    position, skipped = self._special(name, match.group(5), position)
            elif name == "br":
                pieces.append("\n")
            elif name == "code":
                self.code = max(0, self.code - 1) if closes else self.code + 1
            elif name in _RAW:
                if not closes and not match.group(5).endswith("/"):
                    position = self._raw(name, match.group(5), position)
            elif name == "img":
                self._image(match.group(5))
            elif (name == "math" or name.endswith(":math")) and not closes:
                position = self._math(name, start, position)
            depth = 1
        if not skipped and position < len(html):
            self._text(html[position:])
        self._flush()
        return Content("\n".join(self.blocks), tuple(self.formulas))

    def _text(self, text: str) -> None:
        if "&" in text:
            text = unescape(text)
            if not text.isascii():
                text = clean(text)
        if self.pre:
            self.pieces.append(text)
            return
        if "\n" in text or "\r" in text:
            text = text.replace("\r", " ").replace("\n", " ")
        if self.code and _HINTS.search(text):
            self.objects.append(text)
            text = PLACEHOLDER
        self.pieces.append(text)

    def _formula(self, source: str, formula_id: str | None) -> None:
        source, display = strip_delimiters(unescape(source) if "&" in source else source)
        if source:
            self._place(Formula(source, "latex", formula_id or None, None, display))

    def _place(self, formula: Formula | None) -> None:
        if formula is not None:
            self.objects.append(formula)
            self.pieces.append(PLACEHOLDER)

    def _special(self, name: str, attribute_text: str, position: int) -> tuple[int, str]:
        """A span or div with a class: where to go on, and the name of the element where all of it is to be skipped."""
        attributes = _attributes(attribute_text)
        classes = attributes.get("class", "").split()
        if not _RENDERED.isdisjoint(classes):
            return position, name
        container = "math-container" in classes
        if container or ("math" in classes and ("inline" in classes or "display" in classes)):
            end = self._find(f"</{name}", position)
            if end < 0:
                return position, ""
            inner = self.html[position:end]
            math = inner.find("<math")
            if math >= 0:
                self._place(
                    formula_of_math(
                        inner[math:], formulas=self.notation, formula_id=attributes.get("id"),
                        visual_id=attributes.get("visual_id"),
                    )
                )
            else:
                source, display = strip_delimiters(unescape(_TAG.sub("", inner)))
                if source:
                    display = display or "display" in classes
                    self._place(
                        Formula(source, "latex", attributes.get("id"), attributes.get("visual_id"), display)
                    )
            return self._after(">", end), ""
        return position, ""

    def _raw(self, name: str, attribute_text: str, position: int) -> int:
        end = self._find(f"</{name}", position)
        if end < 0:
            return position
        if name == "script":
            kind = _attributes(attribute_text).get("type", "")
            body = self.html[position:end]
            if kind.startswith("math/tex"):
                source = _CDATA.sub("", body).strip()
                if source:
                    self._place(Formula(source, display="display" in kind))
            elif kind.startswith("math/mml") and "<math" in body:
                self._place(formula_of_math(body[body.index("<math"):].strip(), formulas=self.notation))
        return self._after(">", end)

    def _math(self, name: str, start: int, position: int) -> int:
        end = self._find(f"</{name}", position)
        if end < 0:
            return position
        after = self._after(">", end)
        self._place(formula_of_math(self.html[start:after], formulas=self.notation))
        return after

    def _image(self, attribute_text: str) -> None:
        if "alt" in attribute_text and "tex" in attribute_text:
            attributes = _attributes(attribute_text)
            if not {"latex", "tex"}.isdisjoint(attributes.get("class", "").split()):
                self._formula(attributes.get("alt", ""), None)

    def _find(self, closing: str, position: int) -> int:
        """Where the closing tag is, -1 where there is none from here on (each is looked for in vain only once)."""
        if closing in self.missing:
            return -1
        found = re.compile(closing, re.IGNORECASE).search(self.html, position)
        end = found.start() if found else -1
        if end < 0:
            self.missing.add(closing)
            self.unclosed.append(f"<{closing.lstrip('</')}>")
        return end

    def _after(self, closing: str, position: int) -> int:
        """The offset after the next ``closing``, or ``position`` where there is none."""
        if closing in self.missing:
            return position
        end = self.html.find(closing, position)
        if end < 0:
            self.missing.add(closing)
            if closing == "-->":
                self.unclosed.append("<!--")
            return position
        return end + len(closing)

    def _flush(self) -> None:
        """Ends the open block."""
        if not self.pieces:
            return
        text = "".join(self.pieces)
        objects = self.objects
        self.pieces.clear()
        if self.delimiters and not self.pre and _HINTS.search(text) is not None:
            text, objects = self._split(text, objects)
        if self.pre:
            text = text.strip("\r\n").rstrip()
        elif "\n" in text:
            lines = (" ".join(line.split()) for line in text.split("\n"))
            text = "\n".join(line for line in lines if line)
        else:
            text = " ".join(text.split())
        if objects:
            pieces = text.split(PLACEHOLDER)
            rebuilt = [pieces[0]]
            for thing, piece in zip(objects, pieces[1:], strict=True):
                if isinstance(thing, str):
                    rebuilt.append(thing)
                else:
                    rebuilt.append(PLACEHOLDER)
                    self.formulas.append(thing)
                rebuilt.append(piece)
            text = "".join(rebuilt)
        self.objects = []
        if text:
            self.blocks.append(text)

    def _split(self, text: str, objects: list[Formula | str]) -> tuple[str, list[Formula | str]]:
        """Finds formulas between delimiters in the text of a block; those that contain objects take in their source."""
        lonely: list[int] = []
        waiting = iter(objects)
        pieces: list[str] = []
        result: list[Formula | str] = []
        for part in split_parts(text, on_unbalanced=lonely.append):
            if isinstance(part, str):
                pieces.append(part)
                result.extend(next(waiting) for _ in range(part.count(PLACEHOLDER)))
                continue
            source = part.source
            if PLACEHOLDER in source:
                pattern = re.escape(PLACEHOLDER)
                source = re.sub(pattern, lambda _: _source(next(waiting)), source)
            pieces.append(PLACEHOLDER)
            result.append(Formula(source, display=part.display))
        if lonely:
            self.unbalanced.append(describe_unbalanced(text.replace(PLACEHOLDER, "□"), lonely))
        return "".join(pieces), result


def _source(thing: Formula | str) -> str:
    return thing if isinstance(thing, str) else f"{{{thing.source}}}" if thing.notation == "latex" else "□"
