"""HTML fragments and pages to content: text in blocks, formulas in place, in whatever way they were put on the page.

A formula may be in an element: a ``math-container`` span (Stack Exchange, ARQMath), a ``<math>`` element, a
``<script type="math/tex">`` (MathJax 2), or a KaTeX or pandoc span. It may also be an image of WordPress, or stand
between dollars.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from selectolax.lexbor import LexborNode

from porism.corpus.base import clean
from porism.corpus.formula_sources import strip_delimiters
from porism.corpus.html.tree import BLOCKS, parse_element, parse_html, walk
from porism.corpus.latex.tables import words
from porism.corpus.lines import LineMark
from porism.corpus.mathtext import describe_unbalanced, split_parts
from porism.errors import OnProblem, Problem
from porism.types import PLACEHOLDER, Content, Formula, MarkupNotation

_HINTS = re.compile(r"\$|\\[(\[]|\\begin")
_TEX_ENCODING = re.compile(r"(?:(?:application|text)/(?:x-)?)?(?:la)?tex\b", re.IGNORECASE)
_CDATA = re.compile(r"^\s*(?:%\s*)?<!\[CDATA\[|(?:%\s*)?\]\]>\s*$")
_NO_MARKUP = re.compile(r"<!--.*?-->|<\?[^>]*>", re.DOTALL)
_NO_TEXT = frozenset(("script", "style", "svg", "noscript", "template", "textarea", "mjx-math"))
"""Elements whose content is not text of the page; scripts may hold formulas. MathJax draws in the last, beside MathML.
"""
_CODE = frozenset(("code", "samp"))
_NO_FORMULAS = frozenset(("tex2jax_ignore", "mathjax_ignore", "nomath", "no-mathjax", "nomathjax", "noMathJax"))
"""Classes of elements in which dollars are dollars."""
_FORMULAS = frozenset(("tex2jax_process", "mathjax_process", "math", "arithmatex", "output_area"))
"""Classes of elements inside those in which they are delimiters again."""
_NO_FORMULAS_HINT = re.compile("|".join(map(re.escape, _NO_FORMULAS)))
_RENDERED = words(
    "katex-html MathJax_Preview MathJax MathJax_Display MathJax_CHTML MathJax_SVG MathJax_SVG_Display MJXc-display"
)
"""Classes of what a script has drawn of a formula whose source is beside it."""


def html_to_content(
    html: str, *, formulas: MarkupNotation = "latex", delimiters: bool = True, where: str = "html",
    on_problem: OnProblem | None = None,
) -> Content:
    """Turns HTML into content: tags dropped, blocks on lines of their own, white space collapsed but in ``<pre>``.

    :param formulas: the notation taken from ``<math>`` elements that carry both MathML and LaTeX (in an annotation or
        as ``alttext``); the other one is taken where it is the only one.
    :param delimiters: whether ``$…$``, ``\\(…\\)`` and bare environments in the text are formulas; never in code.
    :param where: what a reported problem names as its place.
    :param on_problem: receives lonely delimiters, unclosed elements and the like, each kind at most once a call.
    """
    html = clean(html)
    if "<" not in html and "&" not in html and _HINTS.search(html) is None:
        return Content(" ".join(html.split()))
    tree = parse_html(html)
    builder = ContentBuilder(formulas, delimiters, without_formulas=may_have_no_formulas(html))
    walk(tree.body, builder.enter, builder.leave)
    content = builder.take()
    if on_problem is not None:
        for problem in [*builder.problems(), *tree.problems]:
            on_problem(Problem(where, problem))
    return content


def formula_of_math(
    element: str, *, formulas: MarkupNotation = "latex", formula_id: str | None = None, visual_id: str | None = None
) -> Formula | None:
    """The formula of a ``<math>…</math>`` element of HTML or XML; None where it is empty.

    LaTeX comes from an annotation or ``alttext``. MathML has its named entities (``&InvisibleTimes;``) replaced by
    characters and a namespace prefix removed, so that it reads as XML by itself.
    """
    node = parse_element(element, "math")
    return _formula_of_node(node, formulas, formula_id, visual_id) if node is not None else None


def may_have_no_formulas(html: str) -> bool:
    """Whether HTML seems to have elements in which dollars are not delimiters (of the class ``tex2jax_ignore``)."""
    return _NO_FORMULAS_HINT.search(html) is not None


def _formula_of_node(
    math: LexborNode, formulas: MarkupNotation, formula_id: str | None = None, visual_id: str | None = None
) -> Formula | None:
    """The formula of a ``math`` element; ids that the caller knows go before that of the element."""
    attributes = math.attributes
    display = attributes.get("display") == "block" or attributes.get("mode") == "display"
    formula_id = formula_id or attributes.get("id") or None
    source = clean(math.html or "")
    latex, drawn = _annotation_of(math) if "<annotation" in source else ("", math.text().strip() != "")
    latex = clean(latex or attributes.get("alttext") or "").strip()
    if latex and (formulas == "latex" or not drawn):
        return Formula(latex, "latex", formula_id, visual_id, display)
    if not drawn:
        return None
    source = source.replace("&nbsp;", "\u00a0")  # the one entity of the serialisation that XML has not
    if "<?" in source or "<!" in source:
        source = _NO_MARKUP.sub("", source)
    return Formula(source, "mathml", formula_id, visual_id, display)


def _annotation_of(math: LexborNode) -> tuple[str, bool]:
    """The LaTeX annotation of a ``math`` element, empty where it has none, and whether anything is drawn besides."""
    latex, drawn = "", False

    def enter(node: LexborNode, tag: str) -> bool:
        nonlocal latex, drawn
        if tag == "-text":
            drawn = drawn or (node.text_content or "").strip() != ""
        elif tag == "annotation":
            if not latex and _TEX_ENCODING.match((node.attributes.get("encoding") or "").strip()):
                latex = node.text().strip()
            return False
        return True

    walk(math, enter, lambda tag: None)
    return latex, drawn


class ContentBuilder:
    """Makes content of the nodes of a walk: finished blocks, and the pieces of the open one.

    In ``pieces`` a placeholder stands for the next of ``objects``: a formula, or text of inline code, which is kept
    away from the search for dollars. Whoever walks sets ``line``, where the open block begins.

    :param formulas: the notation taken where a ``<math>`` element carries both.
    :param delimiters: whether delimiters in the text make formulas.
    :param without_formulas: whether to look for elements whose class says that their delimiters make none.
    """

    def __init__(
        self, formulas: MarkupNotation = "latex", delimiters: bool = True, *, without_formulas: bool = False
    ) -> None:
        self.notation: MarkupNotation = formulas
        self.delimiters = delimiters
        self.line = 1
        self.blocks: list[str] = []
        self.block_lines: list[int] = []
        self.formulas: list[Formula] = []
        self.pieces: list[str] = []
        self.objects: list[Formula | str] = []
        self.pre = 0
        self.code = 0
        self._without_formulas = without_formulas
        self._outer_code: list[int] = []  # in an element without formulas: ``code`` outside each open element
        self.unbalanced: list[str] = []

    def problems(self) -> list[str]:
        """What was wrong with delimiters since the last call, in one sentence at most."""
        problems, self.unbalanced = self.unbalanced, []
        if len(problems) > 1:
            return [f"{problems[0]}, and in {len(problems) - 1} more paragraphs"]
        return problems

    def take(self) -> Content:
        """The content of what was visited since the last call."""
        self._flush()
        content = Content("\n".join(self.blocks), tuple(self.formulas))
        self.blocks, self.block_lines, self.formulas = [], [], []
        return content

    def take_parts(self) -> Iterator[str | Formula]:
        """The parts of :meth:`take`, each block after its line."""
        self._flush()
        formulas = iter(self.formulas)
        for number, (block, line) in enumerate(zip(self.blocks, self.block_lines, strict=True)):
            if number:
                yield "\n"
            yield LineMark(line)
            for place, piece in enumerate(block.split(PLACEHOLDER)):
                if place:
                    yield next(formulas)
                if piece:
                    yield piece
        self.blocks, self.block_lines, self.formulas = [], [], []

    def enter(self, node: LexborNode, tag: str) -> bool:
        """Takes in a node; whether its contents are to be visited."""
        outer_code = self.code
        entered = self._enter(node, tag)
        if entered and self._without_formulas:
            self._heed_classes(frozenset((node.attributes.get("class") or "").split()), outer_code)
        return entered

    def _heed_classes(self, classes: frozenset[str], outer_code: int) -> None:
        """Notes whether the element that was entered holds formulas."""
        ends = not _NO_FORMULAS.isdisjoint(classes)
        if not (ends or self._outer_code):
            return
        self._outer_code.append(outer_code)
        if not _FORMULAS.isdisjoint(classes):
            self.code = 0
        elif ends:
            self.code += 1

    def _enter(self, node: LexborNode, tag: str) -> bool:
        if tag == "-text":
            self._text(node.text_content or "")
            return False
        if tag in BLOCKS:
            self._flush()
            if tag == "pre":
                self.pre += 1
            elif tag == "div":
                return self._is_ordinary(node, tag)
            return True
        if tag == "span":
            return self._is_ordinary(node, tag)
        if tag == "br":
            self.pieces.append("\n")
        elif tag in _CODE:
            self.code += 1
        elif tag == "math":
            self._place(_formula_of_node(node, self.notation))
            return False
        elif tag == "img":
            self._image(node.attributes)
        elif tag in _NO_TEXT:
            if tag == "script":
                self._script(node)
            return False
        return not tag.startswith("-")

    def leave(self, tag: str) -> None:
        """The end of an element whose content was visited."""
        if tag in BLOCKS:
            self._flush()
            if tag == "pre":
                self.pre -= 1
        elif tag in _CODE:
            self.code -= 1
        if self._outer_code:
            self.code = self._outer_code.pop()

    def _text(self, text: str) -> None:
        if not text.isprintable():
            text = clean(text)  # characters that references stand for
            if self.pre:
                self.pieces.append(text)
                return
            text = text.replace("\r", " ").replace("\n", " ")
        elif PLACEHOLDER in text:
            text = clean(text)
        if self.code and not self.pre and _HINTS.search(text):
            self.objects.append(text)
            text = PLACEHOLDER
        self.pieces.append(text)

    def _place(self, formula: Formula | None) -> None:
        if formula is not None:
            self.objects.append(formula)
            self.pieces.append(PLACEHOLDER)

    def _is_ordinary(self, node: LexborNode, tag: str) -> bool:
        """Whether a span or div is not a formula and no drawing of one; a formula is taken in."""
        attributes = node.attributes
        classes = (attributes.get("class") or "").split()
        if not classes:
            return True
        if not _RENDERED.isdisjoint(classes):
            return False
        if "math-container" not in classes and not (
            "math" in classes and ("inline" in classes or "display" in classes)
        ):
            return True
        formula_id, visual_id = attributes.get("id") or None, attributes.get("visual_id") or None
        child = node.first_child
        if child is None:
            return False
        math = None if child.is_text_node and child.next is None else node.css_first("math")
        if math is not None:
            self._place(_formula_of_node(math, self.notation, formula_id, visual_id))
            return False
        source, display = strip_delimiters(clean(node.text()))
        if source:
            display = display or "display" in classes
            self._place(Formula(source, "latex", formula_id, visual_id, display))
        return False

    def _script(self, node: LexborNode) -> None:
        kind = node.attributes.get("type") or ""
        body = node.text().replace("&lt;", "<")
        if kind.startswith("math/tex"):
            source = clean(_CDATA.sub("", body)).strip()
            if source:
                self._place(Formula(source, display="display" in kind))
        elif kind.startswith("math/mml"):
            self._place(formula_of_math(body.strip(), formulas=self.notation))

    def _image(self, attributes: Mapping[str, str | None]) -> None:
        if not {"latex", "tex", "math"}.isdisjoint((attributes.get("class") or "").split()):
            source, display = strip_delimiters(clean(attributes.get("alt") or ""))
            if source:
                self._place(Formula(source, display=display))

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
            blocks = [text] if self.pre else text.split("\n")  # a <br> ends no line of the file
            self.blocks += blocks
            self.block_lines += [self.line] * len(blocks)

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
