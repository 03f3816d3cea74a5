"""Documents of XML before pandoc reads them (Word, OpenDocument, DocBook, JATS): formulas that it loses or reads worse
are taken out.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from zipfile import ZIP_DEFLATED, ZipFile

from lxml import etree

from porism.corpus.html.content import formula_of_math
from porism.corpus.latex.tables import words
from porism.corpus.markdown.masking import TOKEN
from porism.corpus.pandoc.preparing import Prepared
from porism.corpus.zipped import member, member_xml, parsed_xml
from porism.errors import OnProblem, Problem, pluralise
from porism.types import PLACEHOLDER, Formula

_TOKEN = re.compile(TOKEN)
_FIRST_WORD = 0xF0000
_MAX_WORDS = 0xFFFD
_LETTERS = re.compile(r"[A-Za-z]+")
_MATH = re.compile(r"<(?:[\w.-]+:)?math\b")
_MATHML = "{http://www.w3.org/1998/Math/MathML}math"
_AROUND_MATHML = words("alternatives inline-formula disp-formula inlineequation informalequation mathphrase")
_BLOCKS = words("p para simpara title sec section")
_HREF = "{http://www.w3.org/1999/xlink}href"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_OLE = "{urn:schemas-microsoft-com:office:office}OLEObject"
_EQUATION = "Equation Native".encode("utf-16-le")
"""The name of the stream that has the formula, in an object of MathType or the old equation editor."""
_UNREAD = "[formula]"
"""What stands for a formula that cannot be read."""
_XML_TAG = re.compile(
    rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<(?P<end>/?)(?P<name>[A-Za-z_:][^\s<>/]*)(?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*?(?P<alone>/?)>",
    re.DOTALL,
)
_PROGRAMS = ("Equation", "MathType")
_WORD_TEXTS = re.compile(r"word/(?:document|footnotes|endnotes)\d*\.xml")
_KEPT = re.compile(r".*\.(?:xml|rels)|mimetype")
"""Members that pandoc needs; pictures and embedded objects are not among them."""


MAX_NESTING = 100
"""Elements nested deeper than this are plain text."""


class _TakenOut:
    """What was taken out of a packed document: formulas, and upright words in formulas."""

    def __init__(self) -> None:
        self._formulas: list[Formula] = []
        self._words: dict[str, int] = {}

    def formula(self, formula: Formula) -> str:
        """The token of a formula."""
        self._formulas.append(formula)
        return f"{PLACEHOLDER}{len(self._formulas) - 1}{PLACEHOLDER}"

    def word(self, word: str) -> str:
        """The character that stands for a word."""
        if len(self._words) >= _MAX_WORDS:
            return word
        return chr(_FIRST_WORD + self._words.setdefault(word, len(self._words)))

    def parts(self, text: str) -> list[str | Formula]:
        parts: list[str | Formula] = []
        done = 0
        for match in _TOKEN.finditer(text):
            if match["number"] and int(match["number"]) < len(self._formulas):
                parts += [text[done : match.start()], self._formulas[int(match["number"])]]
                done = match.end()
        return [*parts, text[done:]]

    def raw(self, text: str) -> str:
        words = list(self._words)

        def latex(match: re.Match[str]) -> str:
            number = ord(match["wide"]) - _FIRST_WORD if match["wide"] else len(words)
            return f"\\operatorname{{{words[number]}}}" if number < len(words) else match.group()

        return _TOKEN.sub(latex, text)


def prepared_opendocument(packed: ZipFile, where: str, on_problem: OnProblem) -> Prepared:
    """A text of OpenDocument, whose formulas are documents of their own that pandoc does not read.

    Those of MathType and of the old equation editor are reported, as in texts of Word.
    """
    content = member_xml(packed, "content.xml")
    taken = _TakenOut()
    foreign = 0
    for frame in list(content.iter(f"{_DRAW}frame")):
        if (formula := _formula_in(frame, packed)) is not None:
            _replace_by(frame, taken.formula(formula))
        elif _has_equation(frame, packed):
            foreign += 1
            _replace_by(frame, _UNREAD)
    if foreign:
        on_problem(Problem(where, _unread(foreign)))
    for paragraph in content.iter(f"{_TEXT}p"):
        if paragraph.get(f"{_TEXT}style-name") == "Title":  # of the document; pandoc knows no titles here
            paragraph.tag = f"{_TEXT}h"
            paragraph.set(f"{_TEXT}outline-level", "1")
    return Prepared(_packed_again(packed, {"content.xml": content}), taken)


def prepared_word(packed: ZipFile, where: str, on_problem: OnProblem) -> Prepared:
    """A text of Word, in whose formulas pandoc does not see which words are operators.

    Formulas of MathType and of the old equation editor are pictures to all other programs, which is reported.
    """
    taken = _TakenOut()
    changed: dict[str, etree._Element] = {}
    for name in filter(_WORD_TEXTS.fullmatch, packed.namelist()):
        changed[name] = text = member_xml(packed, name)
        for run in list(text.iter(f"{_M}r")):
            _take_word(run, taken)
        _report_objects(text, where, on_problem)
    return Prepared(_packed_again(packed, changed), taken)


def prepared_xml(data: bytes, where: str, on_problem: OnProblem) -> Prepared:
    """DocBook or JATS in UTF-8, whose MathML is read here; where LaTeX stands beside it, pandoc reads that."""
    flat = _flattened(data)
    if len(flat) < len(data):
        on_problem(Problem(where, f"elements nested more than {MAX_NESTING} deep are read as plain text"))
    data = flat
    try:
        root = parsed_xml(data)
    except (ValueError, etree.XMLSyntaxError):
        return Prepared(data)  # pandoc says what is wrong
    taken = _TakenOut()
    for math in list(root.iter(_MATHML)):
        around = math
        formula = formula_of_math(etree.tostring(_plain_mathml(math), encoding="unicode"))
        while (above := around.getparent()) is not None and _local_name(above) in _AROUND_MATHML:
            around = above
        if formula is None or above is None or next(around.iter("{*}tex-math"), None) is not None:
            continue
        token = taken.formula(formula)
        if any(_local_name(sibling) in _BLOCKS for sibling in above):  # it stands between paragraphs
            tail, namespace = around.tail, etree.QName(above).namespace
            around.clear()
            around.tag = f"{{{namespace or ''}}}{'para' if root.find('.//{*}para') is not None else 'p'}"
            around.text, around.tail = token, tail
        else:
            _replace_by(around, token)
    return Prepared(etree.tostring(root), taken)


def _flattened(data: bytes) -> bytes:
    """XML without the tags of elements that are nested too deeply; their text stays."""
    if data.count(b"</") <= MAX_NESTING:
        return data
    depth = 0

    def kept(match: re.Match[bytes]) -> bytes:
        nonlocal depth
        if match["name"] is None or match["alone"]:
            return match[0] if match["name"] is None or depth < MAX_NESTING else b" "
        depth = max(0, depth - 1) if match["end"] else depth + 1
        return match[0] if depth + bool(match["end"]) <= MAX_NESTING else b" "

    return _XML_TAG.sub(kept, data)


def _plain_mathml(math: etree._Element) -> etree._Element:
    """A formula by itself, whose attributes have no prefixes (pandoc writes ``mml:mathvariant``)."""
    alone = deepcopy(math)
    alone.tail = None
    for element in alone.iter("{*}*"):
        for name, value in element.attrib.items():
            if name.startswith("{"):
                element.set(etree.QName(name).localname, value)
    return alone


def _local_name(element: etree._Element) -> str:
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def _take_word(run: etree._Element, taken: _TakenOut) -> None:
    """Puts a character in the place of an upright word of a formula, whose letters may be in runs of their own."""
    word, place, following = _upright_letters(run), run.find(f"{_M}t"), run.getnext()
    if not word or place is None:
        return
    while following is not None and (more := _upright_letters(following)):
        word += more
        following.getparent().remove(following)
        following = run.getnext()
    if len(word) > 1:
        place.text = taken.word(word)


def _upright_letters(run: etree._Element) -> str:
    """The text of a run of a formula that is nothing but upright letters, empty for any other."""
    style, texts = run.find(f"{_M}rPr/{_M}sty"), run.findall(f"{_M}t")
    if style is None or style.get(f"{_M}val") != "p" or len(texts) != 1:
        return ""
    word = (texts[0].text or "").strip()
    return word if _LETTERS.fullmatch(word) else ""


def _report_objects(text: etree._Element, where: str, on_problem: OnProblem) -> None:
    """Marks and reports formulas that only another program can read: objects, and fields of the kind EQ."""
    first, count = 0, 0
    for number, paragraph in enumerate(text.iter(f"{_W}p"), start=1):
        formulas = [
            embedded for embedded in paragraph.iter(f"{_W}object")
            if any(element.get("ProgID", "").startswith(_PROGRAMS) for element in embedded.iter(_OLE))
        ]
        formulas += [field for field in paragraph.iter(f"{_W}instrText") if (field.text or "").split()[:1] == ["EQ"]]
        if formulas:
            first, count = first or number, count + len(formulas)
        for element in formulas:
            shown = etree.Element(f"{_W}t")
            shown.text = _UNREAD
            if element.tag == f"{_W}object":
                element.getparent().replace(element, shown)
            else:  # a field shows nothing of its instructions
                run = element.getparent()
                while run.getprevious() is not None and run.find(f"{_W}fldChar[@{_W}fldCharType='begin']") is None:
                    run = run.getprevious()
                before = etree.Element(f"{_W}r")
                before.append(shown)
                run.addprevious(before)
    if count:
        on_problem(Problem(f"{where}, paragraph {first}", _unread(count)))


def _unread(count: int) -> str:
    """What is reported of formulas that only another program can read."""
    return (
        f"{pluralise(count, 'formula')} of MathType, the old equation editor or EQ fields cannot be read; each reads "
        f"{_UNREAD} (MathType's Convert Equations makes them formulas of Word)"
    )


def _has_equation(frame: etree._Element, packed: ZipFile) -> bool:
    """Whether a frame shows an object that MathType or the old equation editor made."""
    names = ((element.get(_HREF) or "").removeprefix("./") for element in frame.iter(f"{_DRAW}object-ole"))
    return any(name in packed.NameToInfo and _EQUATION in member(packed, name) for name in names)


def _formula_in(frame: etree._Element, packed: ZipFile) -> Formula | None:
    """The formula that a frame shows, None where it shows something else."""
    for element in frame.iter(f"{_DRAW}object"):
        name = f"{(element.get(_HREF) or '').removeprefix('./').rstrip('/')}/content.xml"
        if name in packed.NameToInfo:
            text = member(packed, name).decode("utf-8", "replace")
            if (start := _MATH.search(text)) is not None:
                return formula_of_math(text[start.start() :])
    return None


def _replace_by(element: etree._Element, text: str) -> None:
    """Puts text in the place of an element."""
    text += element.tail or ""
    before, parent = element.getprevious(), element.getparent()
    if parent is None:
        return
    if before is not None:
        before.tail = (before.tail or "") + text
    else:
        parent.text = (parent.text or "") + text
    parent.remove(element)


def _packed_again(packed: ZipFile, changed: Mapping[str, etree._Element]) -> bytes:
    """The archive with some members changed, and without those that pandoc does not need."""
    written = io.BytesIO()
    with ZipFile(written, "w", ZIP_DEFLATED) as archive:
        for name, data in _members(packed, changed):
            archive.writestr(name, data)
    return written.getvalue()


def _members(packed: ZipFile, changed: Mapping[str, etree._Element]) -> Iterator[tuple[str, bytes]]:
    for name in dict.fromkeys(packed.namelist()):
        if name in changed:
            yield name, etree.tostring(changed[name])
        elif _KEPT.fullmatch(name) and not name.startswith(("Object", "Formula")):
            yield name, member(packed, name)
