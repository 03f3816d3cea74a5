"""BibTeX: values, strings, preambles, inheritance, and what is broken."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from porism.corpus.bibliography.bibtex import BibEntry, Bibliography
from porism.corpus.opening import open_source
from porism.corpus.registry import detect_format
from porism.errors import Problem
from porism.types import Document

WILES = r"""@comment{jabref-meta: {nested} @x;}
@preamble{ "\newcommand{\R}{\mathbb{R}}" # {\newcommand{\Q}{\mathbb{Q}}} }
@STRING{annals = "Annals of Mathematics"}
@string(second = {(2)})
A line that is no entry.
@Article{wiles95,
  author = {Wiles, Andrew and Taylor, Jr, Richard and {The Group and Co}},
  title  = "Modular curves and {F}ermat's {"}Last{"} Theorem over {$\Q$}",
  journal = annals # { } # second, year = 1995, year = 2000,
  doi = {10.2307/2118559},
  abstract = {We prove that $x^n + y^n = z^n$ over $\R$ has no solutions for 50% of H\"older {\L}ukasz \{x\}.},
  keywords = {number theory, Fermat}, keywords = {curves},
  file = {Full Text:files/12/w.pdf:application/pdf;:a\;b.html:HTML;C\:\\x\\c.pdf},
}
"""


def read(tmp_path: Path, text: str) -> tuple[list[Document], list[Problem]]:
    (tmp_path / "refs.bib").write_text(text, encoding="utf-8")
    problems: list[Problem] = []
    return list(open_source(tmp_path / "refs.bib", on_problem=problems.append)), problems


def entries(text: str) -> tuple[list[BibEntry], list[Problem]]:
    problems: list[Problem] = []
    return list(Bibliography(text, "x.bib", problems.append).entries()), problems


def test_an_entry_is_a_document(tmp_path: Path) -> None:
    (document,), problems = read(tmp_path, WILES)
    assert problems == []
    assert detect_format(tmp_path / "refs.bib") == "bibtex"
    assert document.id == "refs.bib#wiles95"
    assert {name: content.to_latex() for name, content in document.fields.items()} == {
        "title": r"""Modular curves and Fermat's "Last" Theorem over $\mathbb{Q}$""",
        "body": r"We prove that $x^n + y^n = z^n$ over $\mathbb{R}$ has no solutions for 50% of Hölder Łukasz {x}.",
        "authors": "Andrew Wiles, Richard Taylor Jr, The Group and Co", "journal": "Annals of Mathematics (2)",
        "tags": "number theory, Fermat, curves",
    }
    assert document.metadata == {
        "source": "refs.bib", "file": "refs.bib", "line": "6", "type": "article", "key": "wiles95", "year": "1995",
        "authors": ("Andrew Wiles", "Richard Taylor Jr", "The Group and Co"), "journal": "Annals of Mathematics (2)",
        "tags": ("number theory", "Fermat", "curves"), "url": "https://doi.org/10.2307/2118559",
        "attachments": ("files/12/w.pdf", "a;b.html", r"C:\x\c.pdf"),
    }


def test_an_entry_inherits_from_those_it_names(tmp_path: Path) -> None:
    read_entries, problems = entries(
        "@inproceedings{a, crossref = {P}, title = {On x}}\n@misc{b, xdata = {d1, d2}}\n"
        "@proceedings{P, title = {All of it}, year = 2001, keywords = {k}}\n@misc{c, crossref = {nothing}}\n"
        "@xdata{d1, note = {N}}\n@xdata{d2, crossref = {b}, xdata = {d1}, url = {https://x.org}}\n"
    )
    fields = {entry.key: entry.fields for entry in read_entries}
    assert fields["a"] == {"crossref": "P", "title": "On x", "booktitle": "All of it", "year": "2001"}
    assert fields["b"] == {"xdata": "d1, d2", "note": "N", "crossref": "b", "url": "https://x.org"}
    assert [str(problem) for problem in problems] == [
        "x.bib:4: the entry 'nothing' that it inherits from is not there"
    ]


def test_a_lost_brace_costs_one_entry() -> None:
    read_entries, problems = entries(
        '@book{a, title = {Open {x}, year = 1999\n@misc{b, title = {Next}}\n@misc{c, title = "x} , }\n'
        "@misc(d, note = {N})@misc{e, note = {Set \\{ of}} @misc{f note = {no comma}}"
    )
    assert [(entry.key, dict(entry.fields)) for entry in read_entries] == [
        ("a", {"title": "Open {x}, year = 1999"}), ("b", {"title": "Next"}), ("c", {"title": "x} , }"}),
        ("d", {"note": "N"}), ("e", {"note": "Set \\{ of"}), ("f", {"note": "no comma"}),
    ]
    assert [problem.where for problem in problems] == ["x.bib:1", "x.bib:3"]


def test_links_are_of_what_lasts(tmp_path: Path) -> None:
    documents, _ = read(tmp_path, r"""
        @misc{a, title = {a}, eprint = {math.AG/0601001}, archivePrefix = {arXiv}, primaryClass = {math.AG}}
        @misc{b, title = {b}, eprint = {2101.00001v2 [math.AG]}, eprinttype = {arxiv}}
        @misc{c, title = {c}, url = {https://example.org/a\_b}, eprint = {123456}, eprinttype = {jstor}}
        @misc{d, title = {d}, url = {javascript:alert(1)}, doi = {https://doi.org/10.1000/a\_b}}
        @misc{e, title = {e}, url = {javascript:alert(1)}}""")
    assert [document.metadata.get("url") for document in documents] == [
        "https://arxiv.org/abs/math.AG/0601001", "https://arxiv.org/abs/2101.00001v2", "https://example.org/a_b",
        "https://doi.org/10.1000/a_b", None,
    ]
    assert documents[0].metadata["tags"] == ("math.AG",)


def test_values_that_are_odd_latex(tmp_path: Path) -> None:
    documents, problems = read(tmp_path, r"""
        @misc{a, title = {Price \$5 and $10 million \& C#}, note = {\newcommand{\x}{y}Here $\x$}}
        @misc{b, title = {There $\x$}, note = {The matrix $\begin{matrix} a & b \\ c & d \end{matrix}$ \& R & D}}
        @misc{c, year = 2000}""")
    assert [document.title.to_latex() for document in documents] == ["Price $5 and $10 million & C#", r"There $\x$"]
    assert documents[0].fields["body"].to_latex() == "Here $y$"
    assert documents[1].fields["body"].to_latex().endswith(r"\end{matrix}$ & R & D")
    assert [problem.where for problem in problems] == ["refs.bib:4"]


@given(st.text(alphabet='@abc{}()",=# \n\\$%', max_size=200))
def test_any_text_is_read(text: str) -> None:
    for entry in entries(text)[0]:
        assert all(value in text or "#" in text for value in entry.fields.values())
    entries(f"@misc{{a, crossref = {{a}}, {text}")
