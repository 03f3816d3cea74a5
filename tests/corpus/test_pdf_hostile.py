"""PDF files that are broken, hostile or hold no text: each gives a clear problem, and nothing else suffers."""

from __future__ import annotations

from pathlib import Path

import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st
from tests.corpus.pdf_bytes import FONT, pages_of, pdf_of, stream

from porism.corpus import open_source
from porism.corpus.pdf import content, document, process
from porism.corpus.pdf.document import PdfText
from porism.errors import Problem
from porism.types import Document

pytest.importorskip("pdfminer")
LINE = b"BT /F1 10 Tf 72 700 Td (A page of words.) Tj ET"


def read(path: Path, data: bytes) -> tuple[list[Document], list[str]]:
    """The documents of a file with these bytes, and what is reported."""
    path.write_bytes(data)
    problems: list[Problem] = []
    return list(open_source(path, on_problem=problems.append)), [str(problem) for problem in problems]


def words(path: Path, data: bytes) -> str:
    """The text of a file, read in this process."""
    path.write_bytes(data)
    text = PdfText(path)
    try:
        return "\n".join(line.text for page in text.pages() for line in page.lines)
    finally:
        text.close()


@every_case(("operators", "expected"), [
    (LINE, "A page of words."),
    (b"BT /F1 10 Tf 1 0 0 1 72 700 Tm [(A) -20 (b) -500 (c)] TJ ET", "Ab c"),
    (b"BT /F1 10 Tf 12 TL 72 700 Td (one) Tj T* (two) Tj (three) ' ET", "one\ntwo\nthree"),
    (rb"BT /F1 10 Tf 72 700 Td (\(a\051 (b) \\) Tj ET", "(a) (b) \\"),
    (b"BT /F1 10 Tf 72 700 Td <41 42 4> Tj ET", "AB@"),
    (b"BI /W 1 /H 1 ID \x00( EI " + LINE, "A page of words."),
    (b"q 0 0 Q Q Q q 5 ] [ >> << Tj TJ /F9 1 Tf (x) Tj " + LINE, "A page of words."),
    (b"BT /F1 10 Tf 0 1 -1 0 72 300 Tm (stamp at the side) Tj ET " + LINE, "A page of words."),
])
def test_operators_of_a_page(tmp_path: Path, operators: bytes, expected: str) -> None:
    assert words(tmp_path / "page.pdf", pages_of(operators)) == expected


def test_a_form_that_shows_itself_ends(tmp_path: Path) -> None:
    resources = b"/Resources << /XObject << /X 4 0 R >> /Font << /F1 3 0 R >> >>"
    form = stream(LINE + b" /X Do", b"/Type /XObject /Subtype /Form " + resources)
    shown = words(tmp_path / "loop.pdf", pages_of(b"/X Do", resources=b"/XObject << /X 4 0 R >>", extra=[form]))
    assert shown.count("A page of words.") >= 1


def test_pages_without_text_are_named(tmp_path: Path) -> None:
    entries = b"/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray"
    image = stream(b"\x00", entries)
    data = pages_of(LINE, b"/I Do", b"/I Do", LINE, b"/I Do", resources=b"/XObject << /I 4 0 R >>", extra=[image])
    documents, problems = read(tmp_path / "scan.pdf", data)
    assert [document.fields["body"].text.count("A page of words.") for document in documents] == [2]
    assert problems == ["scan.pdf: no text on pages 2–3, 5; run OCR first, as with ocrmypdf"]


def test_a_file_that_needs_a_password(tmp_path: Path) -> None:
    encrypt = b"<< /Filter /Standard /V 1 /R 2 /O <%s> /U <%s> /P -4 >>" % (b"00" * 32, b"00" * 32)
    data = pdf_of(
        [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 0 /Kids [] >>", encrypt],
        b"/Root 1 0 R /Encrypt 3 0 R /ID [<00> <00>]",
    )
    assert read(tmp_path / "secret.pdf", data) == ([], ["secret.pdf: needs a password; save a copy without one"])


@every_case("data", [b"%PDF-1.4\nnothing", b"no PDF at all", b"%PDF-1.7\n" + bytes(range(256)) * 9])
def test_damaged_files_are_one_problem(tmp_path: Path, data: bytes) -> None:
    documents, problems = read(tmp_path / "bad.pdf", data)
    assert documents == []
    assert len(problems) == 1
    assert problems[0].startswith("bad.pdf: is not a readable PDF")


def test_a_broken_page_leaves_the_others(tmp_path: Path) -> None:
    data = pages_of(LINE, b"(never read)", LINE).replace(b"/Contents 7 0 R", b"/Contents (x) /MediaBox [0 (x) 9 9]")
    documents, problems = read(tmp_path / "broken.pdf", data)
    assert documents[0].fields["body"].text.count("A page of words.") == 2
    assert len(problems) <= 1


def test_text_in_a_font_that_is_not_there_is_reported(tmp_path: Path) -> None:
    documents, problems = read(tmp_path / "font.pdf", pages_of(LINE + b" BT /F9 12 Tf (lost) Tj ET"))
    assert documents[0].fields["body"].text == "A page of words."
    assert problems == ["font.pdf: characters that are not understood, by font: missing or damaged fonts (4)"]


def test_a_page_tree_that_contains_itself_ends(tmp_path: Path) -> None:
    data = pdf_of([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 1 /Kids [2 0 R 2 0 R] >>", FONT])
    documents, _ = read(tmp_path / "tree.pdf", data)
    assert documents == []


def test_a_page_with_too_many_marks_is_cut_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "MAX_MARKS", 50)
    path = tmp_path / "many.pdf"
    path.write_bytes(pages_of(LINE * 20))
    (page,) = PdfText(path).pages()
    assert page.is_cut


def test_a_process_that_takes_too_long_is_ended_and_the_next_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(process, "SECONDS_TO_OPEN", 0.05)
        patched.setattr(process.ChildProcess, "ask", lambda *_: None)  # never answers
        patched.setattr(process, "MAX_DEATHS", 2)
        documents, problems = read(tmp_path / "slow.pdf", pages_of(LINE))
    assert documents == []
    assert problems == [
        "slow.pdf:p. 1: reading took too much memory or time; the page is left out",
        "slow.pdf:p. 2: reading took too much memory or time again and again; the rest is left out",
    ]
    documents, problems = read(tmp_path / "next.pdf", pages_of(LINE))
    assert len(documents) == 1
    assert problems == []


def test_a_page_of_endless_operators_is_cut(tmp_path: Path) -> None:
    bomb = stream(b"q Q " * 160_000, packed=True)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 1 /Kids [4 0 R] >>", FONT,
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << >> >>", bomb,
    ]
    documents, problems = read(tmp_path / "bomb.pdf", pdf_of(objects))
    assert documents == []
    assert problems == ["bomb.pdf:p. 1: is damaged, or has too many marks; the rest of the page is left out"]


@given(st.binary(max_size=400))
def test_any_content_stream_gives_a_page(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.pdf"
    path.write_bytes(pages_of(data + b" " + LINE))
    (page,) = PdfText(path).pages()
    assert page.number == 1


@given(st.lists(st.sampled_from([
    b"BT", b"ET", b"q", b"Q", b"(x+1)", b"Tj", b"[(a) -300 (b)]", b"TJ", b"/F1 9 Tf", b"/F1 0 Tf", b"1 0 0 1 72 700 Tm",
    b"0 0 0 0 0 0 Tm", b"1e9 0 Td", b"72 690 40 0.4 re f", b"0 0 m 99 0 l S", b"1 0 0 -1 0 0 cm", b"5 Ts", b"-3 Tc",
    b"0 Tz",
]), max_size=40))
def test_any_operators_give_a_page(tmp_path_factory: pytest.TempPathFactory, operators: list[bytes]) -> None:
    path = tmp_path_factory.getbasetemp() / "operators.pdf"
    path.write_bytes(pages_of(b" ".join(operators)))
    (page,) = PdfText(path).pages()
    assert page.height == 792


def test_italics_are_letters_of_formulas_only_where_no_other_font_has_them() -> None:
    assert not document.italic_is_math([])


def test_what_is_doubtful_in_a_formula_is_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A character that no table knows, and the end of a page that was cut; such characters alone are text."""
    entries = b"/FirstChar 0 /LastChar 255 /Widths [%s] /Encoding << /Differences [200 /zzz] >>" % (b"500 " * 256)
    fonts = [
        b"<< /Type /Font /Subtype /Type1 /BaseFont /%s %s >>" % (name, entries) for name in (b"CMMI10", b"CMSY10")
    ]
    line = (
        b"BT 1 0 0 1 72 %d Tm /F1 10 Tf (Let) Tj /M 10 Tf [-300 (x) -250] TJ /S 10 Tf [(\\024) -250] TJ "
        b"/M 10 Tf (%s) Tj /F1 10 Tf [-300 (be so.)] TJ ET "
    )
    both = line % (700, b"\\310") + line % (680, b"y")
    data, alone = (
        pages_of(shown, extra=fonts).replace(b"/F1 3 0 R", b"/F1 3 0 R /M 4 0 R /S 5 0 R")
        for shown in (both, b"BT 72 700 Td /F1 10 Tf (A b ) Tj /M 10 Tf (\\310) Tj ET")
    )
    assert words(tmp_path / "a.pdf", data) == "Let $x ≤ �$ be so.\nLet $x ≤ y$ be so."
    assert words(tmp_path / "b.pdf", alone) == "A b �"
    monkeypatch.setattr(content, "MAX_MARKS", 16)
    assert words(tmp_path / "a.pdf", data).endswith("Let $x ≤ y �$")


def test_damaged_font_programs_are_reported(tmp_path: Path) -> None:
    extra = [
        b"<< /Type /FontDescriptor /FontName /CMSY10 /FontBBox [0 0 9 9] /Flags 4 /FontFile3 5 0 R >>",
        stream(b"\x01\x00\x04\x04 no font", b"/Subtype /Type1C"),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /CMSY10 /FontDescriptor 4 0 R >>",
    ]
    shown = LINE + b" BT /S 10 Tf 72 650 Td (\\152) Tj ET"
    data = pages_of(shown, extra=extra).replace(b"/F1 3 0 R", b"/F1 3 0 R /S 6 0 R")
    _, problems = read(tmp_path / "a.pdf", data)
    assert problems == ["a.pdf: fonts whose programs are damaged: CMSY10; how high their signs are is guessed"]


def test_bitmap_fonts_are_said_and_formulas_in_them_are_doubtful(tmp_path: Path) -> None:
    """A sign that only its code names may be another one; letters are those of most encodings."""
    font = (
        b"<< /Type /Font /Subtype /Type3 /FontMatrix [0.01 0 0 0.01 0 0] /FontBBox [0 0 50 70] /FirstChar 0 /LastChar "
        b"127 /Widths [%s] /CharProcs << >> /Encoding << /Differences [50 /a50 65 /a65] >> >>" % (b"50 " * 128)
    )
    signs = font.replace(b"/Subtype /Type3", b"/Subtype /Type1 /BaseFont /CMSY10").replace(b"50 ", b"500 ")
    line = b"BT 1 0 0 1 72 %d Tm /F1 10 Tf (Let) Tj /S 10 Tf [-300 (G) -250 (\\024) -250] TJ /B 10 Tf (%s) Tj ET "
    data = pages_of(line % (700, b"A") + line % (680, b"2"), extra=[font, signs]).replace(
        b"/F1 3 0 R", b"/F1 3 0 R /B 4 0 R /S 5 0 R"
    )
    documents, problems = read(tmp_path / "a.pdf", data)
    formulas = [formula.source for document in documents for formula in document.fields["body"].formulas]
    assert [source.endswith("�") for source in formulas] == [False, True]
    assert problems == [
        "a.pdf: 1 bitmap font without names of glyphs: words are read, formulas in them are doubtful"
    ]


def test_pieces_of_diagrams_are_no_characters(tmp_path: Path) -> None:
    fonts = [b"<< /Type /Font /Subtype /Type1 /BaseFont /XYDASH10 /Encoding << /Differences [12 /zzz] >> >>"]
    data = pages_of(LINE + b" BT /X 10 Tf 72 650 Td (\\014) Tj ET", extra=fonts)
    documents, problems = read(tmp_path / "a.pdf", data.replace(b"/F1 3 0 R", b"/F1 3 0 R /X 4 0 R"))
    assert [document.fields["body"].text for document in documents] == ["A page of words."]
    assert problems == []
