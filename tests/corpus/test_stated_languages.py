"""The language that a source says it is in counts before what is detected."""

from __future__ import annotations

import json
from pathlib import Path

from case_tables import every_case

from porism.analysis.document_languages import languages_of
from porism.analysis.languages import read_choice
from porism.corpus import open_source


def notebook(metadata: dict[str, object], *cells: tuple[str, str]) -> str:
    return json.dumps({
        "cells": [{"cell_type": kind, "metadata": {}, "source": text} for kind, text in cells],
        "metadata": metadata, "nbformat": 4, "nbformat_minor": 5,
    })


BOOK = "\\documentclass{book}%s\\begin{document}\nKurz.\n\\chapter{A}\nText.\n%s\\end{document}\n"


@every_case(("name", "text", "languages"), [
    ("a.md", "---\nlang: de-AT\n---\n# A\n\nx\n", ["german"]),
    ("a.qmd", "---\ntitle: T\nLanguage: French\n---\nx\n", ["french"]),
    ("a.md", "+++\nlocale = \"pt_BR\"\n+++\nx\n", ["portuguese"]),
    ("a.md", "---\nlanguage: python\n---\nx\n", [None]),
    ("a.ipynb", notebook({"lang": "ru", "language_info": {"name": "python"}}, ("markdown", "x")), ["russian"]),
    ("a.ipynb", notebook({}, ("raw", "---\nlang: it\n---\n"), ("markdown", "x")), ["italian"]),
    ("a.ipynb", notebook({}, ("markdown", "---\nlang: it\n---\nx")), ["italian"]),
    ("a.ipynb", notebook({"language_info": {"name": "julia"}, "language": 3}, ("markdown", "x")), [None]),
    ("a.html", '<!DOCTYPE html>\n<html lang="de">\n<body><p>x</p>', ["german"]),
    ("a.html", '<html lang="en"><body xml:lang="fr"><p>x</p>', ["french"]),
    ("a.html", '<html lang="tlh"><p>x</p>', [None]),
    ("a.html", '<html lang="en"><p>a</p><div class="lemma" lang="fr"><p>b</p></div>'
               '<section lang="ru"><h2>C</h2><p>c</p></section><h2>D</h2><p lang="de">d</p>',
     ["english", "french", "russian", "english"]),
    ("a.tex", BOOK % (r"\usepackage[english,ngerman]{babel}", ""), ["german", "german"]),
    ("a.tex", BOOK % (r"\usepackage{polyglossia}\setmainlanguage[variant=brazilian]{portuguese}", ""),
     ["portuguese", "portuguese"]),
    ("a.tex", BOOK % (r"\usepackage[main=american,german]{babel}", "\\selectlanguage{magyar}\\chapter{B}Text."),
     ["english", "english", "hungarian"]),
    ("a.tex", BOOK % ("", ""), [None, None]),
])
def test_a_source_says_its_language(tmp_path: Path, name: str, text: str, languages: list[str | None]) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert [document.metadata.get("language") for document in open_source(tmp_path / name)] == languages


def test_a_template_cannot_say_of_russian_letters_that_they_are_english(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<html lang="en"><p>Всякая группа изоморфна группе перестановок.', "utf-8")
    (tmp_path / "b.html").write_text('<html lang="en"><p>Jede Gruppe und der Kern von ihr ist nicht leer.', "utf-8")
    documents = [document for name in ("a.html", "b.html") for document in open_source(tmp_path / name)]
    assert languages_of(documents, read_choice("auto")) == ["russian", "english"]
