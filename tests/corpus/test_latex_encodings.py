"""LaTeX sources in old encodings: what they declare, what they inherit, and what their bytes allow."""

from __future__ import annotations

from pathlib import Path

from case_tables import every_case
from latex_projects import read

from porism.corpus.base import ReaderOptions
from porism.errors import Problem

WORDS = "Möbius’ Satz über gröbste Körper"


@every_case(
    ("declaration", "encoding", "words"),
    [
        ("% !TEX encoding = IsoLatin", "cp1252", WORDS),
        ("%!TEX encoding = UTF-8 Unicode", "utf-8", WORDS),
        ("% !TeX encoding = MacOSRoman", "mac-roman", WORDS),
        ("%!TEX encoding = Windows Cyrillic", "cp1251", "Теорема о графах"),
        ("%!TEX encoding = ISO-8859-15", "iso8859-15", "cœur à 3 €"),
        ("%!TEX encoding = GB 18030", "gb18030", "紧空间"),
        ("% -*- coding: latin-1 -*-", "latin-1", "Möbius"),
        ("%%% coding: cp1250", "cp1250", "větší číslo"),
        ("% vim: set fileencoding=koi8-r :", "koi8-r", "Теорема"),
        (r"\usepackage[latin1]{inputenc}", "cp1252", WORDS),
        (r"\usepackage[utf8,latin9]{inputenc}", "iso8859-15", "cœur"),
        (r"\usepackage[latin2]{inputenc}", "iso8859-2", "łańcuch"),
        (r"\usepackage[applemac]{inputenc}", "mac-roman", WORDS),
        (r"\usepackage[cp850]{inputenc}", "cp850", "Möbius"),
        (r"\usepackage[cp1251]{inputenc}", "cp1251", "Теорема"),
        (r"\usepackage[koi8-r]{inputenc}", "koi8-r", "Теорема"),
        (r"\usepackage[ansinew]{inputenx}", "cp1252", WORDS),
        (r"\usepackage{isolatin1}", "cp1252", "Möbius"),
        (r"\inputencoding{latin5}", "iso8859-9", "ağaç"),
        (r"\documentclass[GBK]{ctexart}", "gbk", "紧空间"),
        (r"\usepackage[latin1]{inputenc}", "utf-8", WORDS),  # converted, and the declaration forgotten
        ("", "utf-8-sig", WORDS),
        ("", "utf-16", WORDS),
        ("", "utf-16-be", WORDS),
    ],
)
def test_declared_encodings(declaration: str, encoding: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "a.tex"
    path.write_bytes(f"{declaration}\n\n{words}".encode(encoding))
    problems: list[Problem] = []
    (document,) = read(path, problems)
    assert document.fields["body"].text.endswith(words)
    assert problems == []


@every_case(
    ("encoding", "words", "name"),
    [
        ("cp1252", "Der Satz von Möbius über Körper", "Latin-1"),
        ("mac-roman", "le théorème général sur l'élément", "Mac Roman"),
        ("cp1251", "Теорема о графах и деревьях", "Windows Cyrillic"),
        ("koi8-r", "Теорема о графах и деревьях", "KOI8-R"),
    ],
)
def test_what_declares_nothing_is_guessed_and_reported(encoding: str, words: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_bytes(f"\\section{{One}}\n{words}".encode(encoding))
    problems: list[Problem] = []
    (document,) = read(tmp_path, problems)
    assert document.fields["body"].text == words
    assert [problem.where for problem in problems] == ["a.tex:2"]
    assert problems[0].what.startswith("is not UTF-8 (byte 0x")
    assert problems[0].what.endswith(f"read as {name}")


def test_chapters_in_other_encodings_than_their_main_file(tmp_path: Path) -> None:
    text = "\\usepackage[latin9]{inputenc}\\begin{document}Ö \\input{a}\\input{b}\\input{c}\\end{document}"
    (tmp_path / "main.tex").write_bytes(text.encode("iso8859-15"))
    (tmp_path / "a.tex").write_bytes("œ ".encode("iso8859-15"))
    (tmp_path / "b.tex").write_bytes("ü ".encode())
    (tmp_path / "c.tex").write_bytes("%!TEX encoding = MacOSRoman\né".encode("mac-roman"))
    (tmp_path / "unused.tex").write_bytes("€".encode("iso8859-15"))
    problems: list[Problem] = []
    whole, unused = read(tmp_path, problems)
    assert whole.fields["body"].text.split() == ["Ö", "œ", "ü", "é"]
    assert unused.fields["body"].text == "€"
    assert problems == []
    (tmp_path / "main.tex").write_text(
        "\\documentclass{book}\\usepackage[utf8]{inputenc}\\begin{document}Ö \\inputencoding{latin1}\\input{a}"
        "\\inputencoding{utf8}\\input{b}\\end{document}", encoding="utf-8",
    )  # fmt: skip
    (tmp_path / "a.tex").write_bytes("ä ".encode("latin-1"))
    assert read(tmp_path / "main.tex", problems)[0].fields["body"].text.split() == ["Ö", "ä", "ü"]
    assert problems == []


def test_encodings_that_are_not_known_or_not_kept_to(tmp_path: Path) -> None:
    problems: list[Problem] = []
    (tmp_path / "a.tex").write_bytes("%!TEX encoding = Klingon\nMöbius".encode("latin-1"))
    assert read(tmp_path, problems)[0].fields["body"].text == "Möbius"
    assert [str(problem) for problem in problems] == [
        "a.tex: declares the encoding Klingon, which is not known",
        "a.tex:2: is not UTF-8 (byte 0xf6); read as Latin-1",
    ]
    problems.clear()
    (tmp_path / "a.tex").write_bytes(b"%!TEX encoding = Big5\na \xff b")
    assert read(tmp_path, problems)[0].fields["body"].text == "a b"
    assert "is not all BIG5 (byte 0xff); what is broken is left out" in problems[0].what
    problems.clear()
    (tmp_path / "a.tex").write_bytes("%!TEX encoding = IsoLatin\nвет".encode("cp1251"))
    assert read(tmp_path, problems, ReaderOptions(encoding="cp1251"))[0].fields["body"].text == "вет"
    assert problems == []
