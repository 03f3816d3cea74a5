"""Formats that pandoc reads: sections, theorem-like blocks, formulas, what a document says of itself, and failures."""

from __future__ import annotations

import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.corpus import open_source
from porism.corpus.pandoc import program
from porism.corpus.pandoc.preparing import Prepared, prepared_text
from porism.corpus.pandoc.reader import PANDOC_FORMATS, tree_documents
from porism.corpus.registry import detect_format
from porism.errors import MissingExtra, Problem
from porism.types import Document

pytest.importorskip("pypandoc")

TEXTS = {
    "a.dokuwiki": "====== Groups ======\nLet $G$ be //finite// and <latex>x_1</latex>.\n\n"
                  "**Lemma 1.** //Words $a \\\\ b$.//\n",
    "a.textile": 'h1(#here). Groups\n\nLet <span class="math">G</span> be $x^2$.\n\n*Lemma 1.* _Words $b$._\n',
    "a.adoc": "= The book\nAda Lovelace\n:stem: latexmath\n\n[#here]\n== Groups\n\nLet stem:[G] be latexmath:[[0,1\\]]."
              "\n\n[stem]\n++++\na [ b ]\n++++\n\n.Lemma 1 (Zorn)\n[.lemma]\n====\nWords asciimath:[sqrt x].\n====\n",
    "a.nxml": '<?xml version="1.0"?><article article-type="x"><front><article-meta><title-group><article-title>The book'
              '</article-title></title-group></article-meta></front><body><sec id="here"><title>Groups</title><p>Let '
              "<inline-formula><tex-math>G</tex-math></inline-formula> and <inline-formula><mml:math xmlns:mml="
              '"http://www.w3.org/1998/Math/MathML"><mml:mi>x</mml:mi></mml:math></inline-formula>.</p><p><bold>'
              "Lemma 1.</bold> Words.</p></sec></body></article>",
    "a.dbk": '<?xml version="1.0"?><article xmlns="http://docbook.org/ns/docbook"><info><title>The book</title></info>'
             '<section xml:id="sec:here"><title>Groups</title><para>Let <inlineequation><m:math xmlns:m='
             '"http://www.w3.org/1998/Math/MathML"><m:mi>G</m:mi></m:math></inlineequation>.</para><para>'
             '<emphasis role="bold">Lemma 1.</emphasis> Words.</para></section></article>',
    "a.opml": '<?xml version="1.0"?><opml version="2.0"><head><title>The book</title></head><body><outline '
              'text="Groups" _note="Let $G$ be.&#10;&#10;**Lemma 1.** Words."/></body></opml>',
    "a.fb2": '<?xml version="1.0" encoding="windows-1251"?><FictionBook xmlns='
             '"http://www.gribuser.ru/xml/fictionbook/2.0"><body><section><title><p>Группы</p></title><p>Слова $G$.</p>'
             "<p><strong>Lemma 1.</strong> Да.</p></section></body></FictionBook>",
    "a.man": ".TH GROUPS 3\n.SH GROUPS\nWords of $G$.\n",
    "a.rtf": "{\\rtf1\\ansi{\\b Lemma 1.} Let $G$ be \\u-10187?\\u-9135?.\\par}",
}  # fmt: skip


def read(path: Path, format: str | None = None) -> tuple[list[Document], list[str]]:
    problems: list[str] = []
    return list(open_source(path, format, on_problem=lambda problem: problems.append(str(problem)))), problems


def written(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_text(TEXTS[name], encoding="cp1251" if name == "a.fb2" else "utf-8")
    return path


def zipped(path: Path, members: dict[str, str]) -> Path:
    with ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def formulas(documents: list[Document]) -> list[str]:
    return [
        formula.source for document in documents for name, content in document.fields.items() if name != "section"
        for formula in content.formulas
    ]


@every_case(
    ("name", "format", "expected"),
    [
        ("a.dokuwiki", "dokuwiki", ["G", "x_1", "a \\\\ b"]), ("a.textile", "textile", ["G", "x^2", "b"]),
        ("a.adoc", "asciidoc", ["G", "[0,1]", "a [ b ]", "\\sqrt{x}"]), ("a.nxml", "jats", ["G", "<mi>x</mi>"]),
        ("a.dbk", "docbook", ["<mi>G</mi>"]), ("a.opml", "opml", ["G"]), ("a.fb2", "fb2", ["G"]),
        ("a.man", "man", ["G"]), ("a.rtf", "rtf", ["G"]),
    ],
)  # fmt: skip
def test_formulas_and_statements_of_each_format(name: str, format: str, expected: list[str], tmp_path: Path) -> None:
    documents, problems = read(written(tmp_path, name))
    assert (problems, detect_format(tmp_path / name)) == ([], format)
    found = [source.partition("Math/MathML\">")[2].removesuffix("</math>") or source for source in formulas(documents)]
    assert found == expected
    assert "line" not in documents[0].metadata
    if name != "a.man":
        assert documents[-1].metadata["type"] == "lemma"
    if name in ("a.adoc", "a.nxml", "a.dbk", "a.opml"):
        assert documents[-1].metadata["section"] == ("The book", "Groups")
    if name == "a.adoc":
        assert documents[0].metadata["authors"] == ("Ada Lovelace",)
        assert documents[-1].fields["title"].text == "Zorn"
    if name == "a.rtf":
        assert documents[-1].fields["body"].text == "Let \ufffc be \U0001d451."


@every_case(
    ("head", "format"),
    [
        ('<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96)">', "jats"), ("<article><front><journal-meta>", "jats"),
        ('<book xmlns="http://docbook.org/ns/docbook">', "docbook"),
        ('<!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN">', "docbook"),
    ],
)
def test_formats_of_xml_are_told_apart_by_their_beginning(head: str, format: str, tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(f'<?xml version="1.0"?>\n{head}', encoding="utf-8")
    assert detect_format(tmp_path / "a.xml") == format


def test_a_page_of_the_manual_is_told_from_other_files_by_its_first_lines(tmp_path: Path) -> None:
    (tmp_path / "log.1").write_text("some log\n", encoding="utf-8")
    (tmp_path / "ls.1").write_text('.\\" comment\n.TH LS 1\n.SH NAME\nls\n', encoding="utf-8")
    assert [document.id for document in open_source(tmp_path)] == [f"{tmp_path.name}/ls.1"]


CONTENT_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)


def word(path: Path, body: str) -> Path:
    document = (
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
        'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
        f'xmlns:o="urn:schemas-microsoft-com:office:office"><w:body>{body}</w:body></w:document>'
    )
    return zipped(path, {
        "[Content_Types].xml": CONTENT_TYPES, "_rels/.rels": RELATIONS, "word/document.xml": document,
    })  # fmt: skip


def text_run(text: str, style: str = "") -> str:
    return f'<w:r><w:rPr>{style}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def upright(text: str) -> str:
    return f'<m:r><m:rPr><m:sty m:val="p"/></m:rPr><m:t>{text}</m:t></m:r>'


def test_words_in_formulas_of_word_are_operators(tmp_path: Path) -> None:
    letters = f"{upright('i')}{upright('m')}"
    formula = f"<m:oMath>{upright('Gal')}<m:r><m:t>L</m:t></m:r>{letters}<m:r><m:t>f</m:t></m:r></m:oMath>"
    body = f"<w:p>{text_run('Theorem 1.', '<w:b/>')}{text_run(' Let ')}{formula}</w:p>"
    (theorem,), problems = read(word(tmp_path / "a.docx", body), "docx")
    assert (theorem.metadata["type"], problems) == ("theorem", [])
    assert theorem.fields["body"].to_latex() == "Let $\\operatorname{Gal}L\\operatorname{im}f$"


def test_formulas_of_mathtype_are_marked_and_reported(tmp_path: Path) -> None:
    equation = '<w:r><w:object><o:OLEObject ProgID="Equation.DSMT4"/></w:object></w:r>'
    field = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> EQ \\f(1,2) </w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    path = word(tmp_path / "a.docx", (
        f"<w:p>{text_run('First.')}</w:p><w:p>{text_run('Let ')}{equation}{text_run(' or ')}{equation}</w:p>"
        f"<w:p>{text_run('Half is ')}{field}{text_run('.')}</w:p>"
    ))  # fmt: skip
    (document,), problems = read(path)
    assert document.fields["body"].text == "First.\n\nLet [formula] or [formula]\n\nHalf is [formula]."
    assert problems == [
        "a.docx, paragraph 2: 3 formulas of MathType, the old equation editor or EQ fields cannot be read; each reads "
        "[formula] "
        "(MathType's Convert Equations makes them formulas of Word)"
    ]


def test_formulas_of_opendocument_are_read_from_their_objects(tmp_path: Path) -> None:
    content = (
        '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
        'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink">'
        '<office:body><office:text><text:p text:style-name="Title">The book</text:p><text:p>Let <draw:frame>'
        '<draw:object xlink:href="./Object 1"/></draw:frame> be.</text:p><text:p>So <draw:frame>'
        '<draw:object-ole xlink:href="./Object 2"/><draw:image xlink:href="./picture"/></draw:frame>.</text:p>'
        "</office:text></office:body></office:document-content>"
    )
    mathml = '<?xml version="1.0"?><math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi></math>'
    styles = (
        '<office:document-styles xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0">'
        "<office:font-face-decls/><office:styles/><office:automatic-styles/><office:master-styles/>"
        "</office:document-styles>"
    )
    (document,), problems = read(zipped(tmp_path / "a.odt", {
        "content.xml": content, "styles.xml": styles, "Object 1/content.xml": mathml,
        "Object 2": "E\0q\0u\0a\0t\0i\0o\0n\0 \0N\0a\0t\0i\0v\0e\0",
    }), "odt")  # fmt: skip
    assert [problem.partition(" of ")[0] for problem in problems] == ["a.odt: 1 formula"]
    assert document.fields["title"].text == "The book"
    assert document.fields["body"].text == "Let \ufffc be.\n\nSo [formula]."
    assert document.fields["body"].formulas[0].notation == "mathml"


@pytest.mark.parametrize("format", PANDOC_FORMATS, ids=lambda format: format.name)
@settings(deadline=None, max_examples=3)
@given(data=st.binary(min_size=1, max_size=200))
def test_any_bytes_are_read_or_reported(format, data, tmp_path_factory) -> None:
    path = tmp_path_factory.mktemp("any") / f"a{format.extensions[0]}"
    path.write_bytes(data)
    documents, problems = read(path, format.name)
    assert documents or problems or format.kind != "packed"


def test_an_archive_whose_text_is_a_bomb_is_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("porism.corpus.zipped.MAX_MEMBER_BYTES", 10_000)
    path = word(tmp_path / "a.docx", "<w:p/>" * 10_000)
    documents, problems = read(path)
    assert documents == []
    assert "word/document.xml has more than 10,000 bytes" in problems[0]


def test_pandoc_may_not_write_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "MAX_OUTPUT_BYTES", 10)
    documents, problems = read(written(tmp_path, "a.textile"))
    assert documents == []
    assert "gives more than 10 bytes" in problems[0]


def test_pandoc_may_not_take_any_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    endless = tmp_path / "endless"
    endless.write_text("#!/bin/sh\nexec sleep 600\n", encoding="utf-8")
    endless.chmod(0o755)
    monkeypatch.setattr(program, "_program", lambda: str(endless))
    monkeypatch.setattr(program, "MAX_SECONDS", 0.1)
    documents, problems = read(written(tmp_path, "a.textile"))
    assert documents == []
    assert "takes more than 0.1 seconds" in problems[0]


def test_pandoc_is_stopped_where_it_takes_too_much_memory(monkeypatch) -> None:
    problems: list[Problem] = []
    monkeypatch.setattr(program, "MAX_MEMORY", "60m")
    text = b"a *b* $c$ d\n\n" * 60_000
    assert program.pandoc_tree(text, "markdown", "a.md", problems.append) is None
    assert "takes more memory than 60m" in problems[0].what


def test_spaces_at_the_end_of_a_formula_leave_no_backslash() -> None:
    math = {"t": "Math", "c": [{"t": "InlineMath"}, "\\left. x \\right.\\ "]}
    tree = {"blocks": [{"t": "Para", "c": [math]}]}
    (document,) = tree_documents(tree, Prepared(b""), "a.docx", "books", lambda problem: None)
    assert document.fields["body"].formulas[0].source == "\\left. x \\right."


@every_case(
    ("kind", "wrap"),
    [
        ("BlockQuote", lambda inner: [{"t": "BlockQuote", "c": inner}]),
        ("BulletList", lambda inner: [{"t": "BulletList", "c": [inner]}]),
        ("Div", lambda inner: [{"t": "Div", "c": [["", ["theorem"], []], inner]}]),
        ("Emph", lambda inner: [{"t": "Para", "c": [{"t": "Emph", "c": inner[0]["c"]}]}]),
    ],
)
def test_deep_nesting_is_read_as_plain_text(kind: str, wrap) -> None:
    blocks = [{"t": "Para", "c": [{"t": "Str", "c": "deep"}, {"t": "Space"}, {"t": "Str", "c": "words"}]}]
    for _ in range(300):
        blocks = wrap(blocks)
    problems: list[Problem] = []
    documents = list(tree_documents({"blocks": blocks}, Prepared(b""), "a.odt", "books", problems.append))
    assert "deep words" in documents[0].fields["body"].text
    assert bool(problems) == (kind != "Emph")


def test_without_the_extra_a_file_says_what_installs_it(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pypandoc", None)
    with pytest.raises(MissingExtra, match=r"pip install 'porism\[documents\]'"):
        list(open_source(written(tmp_path, "a.textile")))
    (tmp_path / "b.md").write_text("Words.", encoding="utf-8")
    for number in range(1000):
        (tmp_path / f"{number}.docx").touch()
    documents, problems = read(tmp_path)
    assert [document.id for document in documents] == [f"{tmp_path.name}/b.md"]
    assert problems == [
        f"{tmp_path}: left out: 1,000 .docx, 1 .textile (pip install 'porism[documents]' reads them)"
    ]


def test_a_file_without_text_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.dbk").write_text('<article xmlns="http://docbook.org/ns/docbook"/>', encoding="utf-8")
    documents, problems = read(tmp_path / "a.dbk")
    assert documents == []
    assert problems == ["a.dbk: has no text that pandoc reads"]


def test_displayed_formulas_of_asciidoc_end_where_they_are_closed() -> None:
    text = "[latexmath]\n++++\nx\n++++\nand $y$\n[stem]\n++++\nopen"
    prepared = prepared_text(text, "asciidoc", "a", lambda problem: None)
    assert [part.source for part in prepared.parts(prepared.data.decode()) if not isinstance(part, str)] == ["x", "y"]


def test_elements_nested_too_deeply_cost_their_marks_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep.dbk"
    marks = 50_000
    path.write_text(
        '<book xmlns="http://docbook.org/ns/docbook"><chapter><title>A</title><para>Before &lt;x&gt;.</para><para>'
        f"{'<emphasis>' * marks}deep{'</emphasis>' * marks}</para></chapter><chapter><title>B</title>"
        "<para>After <!-- <a><b> -->it.</para></chapter></book>", encoding="utf-8",
    )
    documents, problems = read(path, "docbook")
    text = "\n".join(content.text for document in documents for content in document.fields.values())
    assert all(part in text for part in ("Before <x>.", "deep", "After it."))
    assert problems == ["deep.dbk: elements nested more than 100 deep are read as plain text"]
