"""LaTeX projects: how files are named, which of them are found, and documents that are parts of larger ones."""

from __future__ import annotations

from pathlib import Path

from case_tables import every_case
from latex_projects import read

from porism.errors import Problem

MACROS = r"\newcommand{\own}{\beta}"


def write(root: Path, **files: str) -> None:
    """Files whose names have ``__`` for a slash, and a suffix where that is not ``.tex``."""
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path = path if path.suffix else path.with_suffix(".tex")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def part(text: str, parent: str = "../main") -> str:
    return f"\\documentclass[{parent}]{{subfiles}}\n\\begin{{document}}\n{text}\n\\end{{document}}\nnever read"


def body(root: Path, problems: list[Problem] | None = None) -> str:
    """The text of all documents, with one space between words."""
    return " ".join(" ".join(document.fields["body"].to_latex() for document in read(root, problems)).split())


@every_case(
    ("preamble", "file"),
    [
        (r"\newcommand{\home}{lib}\input{\home/mac}", "lib/mac.tex"),
        (r"\def\home{lib/}\usepackage{\home mac}", "lib/mac.sty"),
        (r"\def\home{lib}\edef\here{\home/deep}\def\home{gone}\input{\here/mac}", "lib/deep/mac.tex"),
        (r"\newcommand{\which}[1]{lib/#1}\usepackage[option]{amsmath,\which{mac}}", "lib/mac.sty"),
        (r"\makeatletter\def\input@path{{gone/}{lib/}}\makeatother\input{mac}", "lib/mac.tex"),
        (r"\input lib/mac " + "\n", "lib/mac.tex"),
        (r"\input lib/my_own.mac" + "\n", "lib/my_own.mac"),
        (r'\input "lib/the macros.tex" ', "lib/the macros.tex"),
        (r'\input{"lib/the macros"}', "lib/the macros.tex"),
        (r"\def\mac{lib/mac}\input\mac\relax", "lib/mac.tex"),
        (r"\input \jobname-mac.def ", "main-mac.def"),
        (r"\makeatletter\@input{lib/mac.ltx}\makeatother", "lib/mac.ltx"),
        (r"\InputIfFileExists{lib/gone}{}{\InputIfFileExists{lib/mac}{}{}}", "lib/mac.tex"),
        (r"\IfFileExists{lib/mac.sty}{\usepackage{lib/mac}}{\usepackage{other}}", "lib/mac.sty"),
        (r"\RequirePackage{lib/mac}", "lib/mac.sty"),
        (r"\usetheme{Mac}", "beamerthemeMac.sty"),
        (r"\ifx\unknown\undefined\usepackage{mac}\fi", "mac.sty"),
        (r"\ifx\section\undefined\else\usepackage{mac}\fi", "mac.sty"),
        (r"\def\kind{long}\def\long{long}\ifx\kind\long\usepackage{mac}\fi", "mac.sty"),
        (r"\def\size{12}\ifnum\size>11 \usepackage{mac}\else\usepackage{gone}\fi", "mac.sty"),
        (r"\ifcase 2 \or\input{gone}\or\input{mac}\or\input{gone}\else\input{gone}\fi", "mac.tex"),
        (r"\def\test#1{\if\relax#1\relax\usepackage{mac}\fi}\test{}", "mac.sty"),
        (r"\expandafter\ifx\csname loaded\endcsname\relax\input{mac}\fi", "mac.tex"),
        (r"\makeatletter\@ifundefined{ltx@version}{\input{mac}}{}\makeatother", "mac.tex"),
        (r"\newif\ifown\owntrue\unless\ifown\else\input{mac}\fi", "mac.tex"),
        (r"\ifdefined\ollanguage\else\input{mac}\fi", "mac.tex"),
        (r"\ifpdf\input{mac}\fi", "mac.tex"),
        (r"\AtBeginDocument{\input{mac}}", "mac.tex"),
    ],
)  # fmt: skip
def test_files_are_found_however_they_are_named(preamble: str, file: str, tmp_path: Path) -> None:
    (tmp_path / "main.tex").write_text(
        f"\\documentclass{{article}}\n{preamble}\n\\begin{{document}}\n$\\own$\n\\end{{document}}", encoding="utf-8"
    )
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(MACROS, encoding="utf-8")
    problems: list[Problem] = []
    assert body(tmp_path / "main.tex", problems) == "$\\beta$"
    assert problems == []


@every_case(
    ("preamble", "expected"),
    [
        (r"\usepackage{\nowhere mac}",
         r"\usepackage names \nowhere mac, whose macros cannot be expanded; it is not read"),
        (r"\input{\nowhere/mac}", r"\input names \nowhere/mac, whose macros cannot be expanded; it is not read"),
        (r"\usepackage{lib/gone}", r"\usepackage names lib/gone, which is not there"),
        (r"\usepackage{house}", r"\input names gone, which is not there"),
        (r"\ifvoid5 \input{mac}\fi", r"\input{mac} is not read: it depends on a condition of typesetting"),
        (r"\ifdim\textwidth>9cm\usepackage{amsmath,house}\fi",
         r"\usepackage{house} is not read: it depends on a condition of typesetting"),
        (r"\input{figure}", "is not text; it is left out"),
    ],
)  # fmt: skip
def test_what_is_not_read_is_reported(preamble: str, expected: str, tmp_path: Path) -> None:
    write(tmp_path, **{"main": f"\\documentclass{{article}}{preamble}\\begin{{document}}x\\end{{document}}",
                       "mac": MACROS, "house.sty": r"\input{gone}"})
    (tmp_path / "figure").write_bytes(b"\0\1\2\3 \0")
    problems: list[Problem] = []
    assert body(tmp_path / "main.tex", problems) == "x"
    assert [problem.what for problem in problems] == [expected]


def test_packages_and_files_of_the_distribution_are_not_missed(tmp_path: Path) -> None:
    write(
        tmp_path, main=r"\usepackage{amsmath,tikz}\input xy \input{glyphtounicode}\ifvoid5 \usepackage{ntheorem}\fi x"
    )
    problems: list[Problem] = []
    assert body(tmp_path, problems) == "x"
    assert problems == []


def test_imported_files_name_others_beside_them(tmp_path: Path) -> None:
    write(
        tmp_path, main=r"\begin{document}\import{one/}{start}\subimport{two}{start}\subfile{three/start}"
        r"\input{end}\end{document}",
        one__start=r"one \input{end}\subimport{deep/}{start}", one__end="of one", one__deep__start=r"deep \input{end}",
        one__deep__end="of deep", two__start=r"two \input{parts/a}", two__parts__a=r"\input{end}", two__end="of two",
        three__start=r"\documentclass[../main]{subfiles}\begin{document}three \input{end}\end{document}never read",
        three__end="of three", end="of main",
    )  # fmt: skip
    problems: list[Problem] = []
    assert body(tmp_path, problems) == "one of one deep of deep two of two three of three of main"
    assert problems == []


def test_a_file_is_imported_from_the_same_folder(tmp_path: Path) -> None:
    write(
        tmp_path, main=r"\begin{document}\import{one}{start}\end{document}", one__start=r"one \subimport*{}{next}",
        one__next="next",
    )  # fmt: skip
    problems: list[Problem] = []
    assert (body(tmp_path, problems), problems) == ("one next", [])


def test_an_import_command_of_the_project(tmp_path: Path) -> None:
    write(
        tmp_path, main=r"""\documentclass{book}\def\base{}
        \NewDocumentCommand\bring{s o m}{\begingroup
          \IfNoValueTF{#2}{\subfile{#3}}{\edef\base{\base #2/}\subfile{#2/#3}}\endgroup}
        \begin{document}\bring[one]{start}\end{document}""",
        one__start=part(r"start \bring[two]{next}\bring{last}"), one__two__next=part(r"next in \base", "../../main"),
        one__last=part("last"),
    )  # fmt: skip
    problems: list[Problem] = []
    assert body(tmp_path, problems) == "start next in one/two/ last"
    assert problems == []


PARENT = r"""\documentclass{book}\newcommand{\own}{\beta}\newtheorem{satz}{Satz}
\begin{document}\chapter{Of the book}\subfile{parts/a}\end{document}"""


def test_a_part_of_a_larger_document_has_its_preamble(tmp_path: Path) -> None:
    theorem = r"\begin{{satz}}${}$\end{{satz}}"
    write(tmp_path, main=PARENT, parts__a=part(theorem.format(r"\own")), parts__b=part(theorem.format(r"\own b")))
    problems: list[Problem] = []
    documents = read(tmp_path, problems)
    assert problems == []
    assert [(each.id, each.metadata["type"], each.fields["body"].to_latex()) for each in documents] == [
        ("parts/a.tex#satz-1", "satz", r"$\beta$"), ("parts/b.tex#satz-1", "satz", r"$\beta b$"),
    ]  # fmt: skip
    (alone,) = read(tmp_path / "parts" / "b.tex")  # without what is outside its folder
    assert alone.fields["body"].to_latex().startswith("$\\own b$")


def test_a_part_whose_parent_lies_deeper_is_read_after_it(tmp_path: Path) -> None:
    write(tmp_path, books__main=PARENT.replace("parts/a", "../a"), a=part(r"\section{A}$\own$", "books/main"))
    (document,) = read(tmp_path)
    assert (document.id, document.metadata["section"]) == ("a.tex#section-1", ("Of the book", "A"))
    assert document.fields["body"].to_latex() == r"$\beta$"


def test_standalone_documents_are_read_in_their_places(tmp_path: Path) -> None:
    write(
        tmp_path, main=r"\documentclass{article}\newcommand{\own}{\beta}\begin{document}before \includestandalone{one} "
        r"\input{one}after\end{document}",
        one=r"\documentclass[tikz]{standalone}\newcommand{\extra}{\gamma}\begin{document}$\extra$\end{document}never",
        two=r"\documentclass{standalone}\begin{document}$\own$\end{document}",
    )  # fmt: skip
    problems: list[Problem] = []
    assert body(tmp_path, problems) == r"before $\gamma$ after $\beta$"
    assert problems == []


def test_a_file_that_begins_the_documents_of_others(tmp_path: Path) -> None:
    write(
        tmp_path, header=r"\documentclass{article}\newcommand{\own}{\beta}\begin{document}",
        one=r"\input{header}\section{One}$\own$\end{document}never",
        two=r"\input{header}\section{Two}$\own$\end{document}",
    )  # fmt: skip
    problems: list[Problem] = []
    documents = read(tmp_path, problems)
    assert problems == []
    assert [(each.id, each.fields["body"].to_latex()) for each in documents] == [
        ("one.tex#section-1", r"$\beta$"), ("two.tex#section-1", r"$\beta$"),
    ]  # fmt: skip


@every_case("end", ["\\bye", "\\end", "\\enddocument"])
def test_plain_documents(end: str, tmp_path: Path) -> None:
    write(
        tmp_path, mac=MACROS,
        main=f"\\input amstex\n\\input mac\n\\documentstyle{{amsppt}}\nno text\n\\document\n$\\own$\n{end}\nnever",
    )
    problems: list[Problem] = []
    assert body(tmp_path, problems) == r"$\beta$"
    assert problems == []


def test_files_inside_formulas_and_arguments(tmp_path: Path) -> None:
    write(
        tmp_path, main=r"\begin{align*}\input{rows}c &= d\end{align*} $a + \input{part}$ \section{On \input{words}}"
        r"\textbf{\input{more}}", rows="a &= b \\\\\n", part="x+y", words="a word", more="text",
    )  # fmt: skip
    problems: list[Problem] = []
    first, second = read(tmp_path, problems)
    assert problems == []
    assert [formula.source for formula in first.fields["body"].formulas] == [
        r"\begin{align*} a &= b \\ c &= d \end{align*}", "a + x+y",
    ]  # fmt: skip
    assert (second.title.text, second.fields["body"].text, second.metadata["file"]) == ("On a word", "text", "main.tex")


def test_a_file_on_its_own_has_the_macros_of_the_main_file_that_it_names(tmp_path: Path) -> None:
    book = "\\documentclass{{book}}\\newcommand{{\\own}}{{{}}}\\begin{{document}}\\section{{{}}}x\\end{{document}}"
    write(
        tmp_path, a=book.format("a", "A"), b=book.format("b", "B"), parts__of_a="$\\own$",
        parts__of_b="% !TeX root = ../b.tex\n$\\own$", parts__of_none="%!TEX root = ../gone\n$\\own$",
    )  # fmt: skip
    found = {each.id: each.fields["body"].to_latex() for each in read(tmp_path) if each.id.startswith("parts")}
    assert found == {
        "parts/of_a.tex#text-1": "$a$", "parts/of_b.tex#text-1": "$b$", "parts/of_none.tex#text-1": "$a$",
    }  # fmt: skip


def test_endinput_ends_a_file(tmp_path: Path) -> None:
    write(tmp_path, main=r"\input{a} last", a="first \\endinput\nnever read")
    assert body(tmp_path) == "first last"


def test_a_problem_is_reported_once_however_many_documents_include_its_text(tmp_path: Path) -> None:
    chapter = "\\section{Of both}\n$x$ \\input{gone}\n$$a$ b\n\n"
    book = "\\documentclass{{book}}\\begin{{document}}\\section{{{}}}\\include{{both}}\\input{{gone}}\\end{{document}}"
    write(tmp_path, one=book.format("One"), two=book.format("Two"), both=chapter)
    problems: list[Problem] = []
    read(tmp_path, problems)
    assert len({str(problem) for problem in problems}) == len(problems)
    assert {problem.where for problem in problems} == {"both.tex:2", "both.tex:3"}


def test_a_formula_goes_on_after_a_file_that_it_includes(tmp_path: Path) -> None:
    text = r"Before \begin{align*} \input{rows} \end{align*} between $\input one +c$ after."
    write(
        tmp_path, main=f"\\documentclass{{article}}\n\\begin{{document}}\n{text}\n\\end{{document}}\n",
        rows="a &= 1 \\\\\nb &= 2\n", one="x",
    )  # fmt: skip
    problems: list[Problem] = []
    assert body(tmp_path, problems) == (
        r"Before $$\begin{align*} a &= 1 \\ b &= 2 \end{align*}$$ between $x+c$ after."
    )
    assert problems == []


@every_case("name", ["macros.tex", "macros.ltx"])
def test_a_dumped_format_is_the_beginning_of_the_preamble(name: str, tmp_path: Path) -> None:
    write(tmp_path, **{
        "paper.tex": "%&macros\n\\begin{document}$\\foo$\\end{document}",
        name: "\\documentclass{article}\\newcommand{\\foo}{\\alpha}\\dump\\renewcommand{\\foo}{x}",
    })
    problems: list[Problem] = []
    documents = read(tmp_path, problems)
    assert [formula.source for document in documents for formula in document.fields["body"].formulas] == ["\\alpha"]
    assert not problems


def test_a_document_without_a_class_begins_with_the_only_preamble_beside_it(tmp_path: Path) -> None:
    write(tmp_path, **{
        "paper.tex": "\\input{parts}\\begin{document}$\\foo$\\end{document}",
        "setup.tex": "\\documentclass{article}\\newcommand{\\foo}{\\alpha}",
        "parts.tex": "\\newcommand{\\bar}{x}",
        "plain.tex": "$x$\\bye",
    })

    def sources() -> dict[str, list[str]]:
        return {
            str(document.metadata["file"]): [formula.source for formula in document.fields["body"].formulas]
            for document in read(tmp_path) if "body" in document.fields
        }

    assert sources() == {"paper.tex": ["\\alpha"], "plain.tex": ["x"]}
    write(tmp_path, **{"other.tex": "\\documentclass{book}\\newcommand{\\foo}{\\beta}"})
    assert sources() == {"paper.tex": ["\\foo"], "plain.tex": ["x"]}


@every_case(
    ("first", "expected"),
    [
        ("%&mine", ["paper.tex:1: the format mine has no source mine.tex here; its macros are unknown"]),
        ("%&pdflatex -shell-escape", []), ("%& LaTeX", []), ("%&paper", []), ("%& -job-name", []),
    ],
)  # fmt: skip
def test_a_format_that_is_not_there_is_reported(first: str, expected: list[str], tmp_path: Path) -> None:
    write(tmp_path, **{"paper.tex": f"{first}\n\\documentclass{{article}}\\begin{{document}}A\\end{{document}}"})
    problems: list[Problem] = []
    read(tmp_path, problems)
    assert [str(problem) for problem in problems] == expected
