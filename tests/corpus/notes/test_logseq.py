"""Graphs of Logseq."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.corpus.notes.logseq import LogseqReader, _Outline
from porism.corpus.opening import open_source
from porism.corpus.registry import detect_format
from porism.errors import Problem
from porism.types import Document

PAGE = """title:: Lagrange's theorem
alias:: [[Index theorem]], order theorem
tags:: groups, [[finite groups]]

- TODO [#A] Let $H \\leq G$. ((64a0c2de-1111-2222-3333-444455556666)) [this](((64a0c2de-1111-2222-3333-444455556666))).
  id:: 64a0c2de-aaaa-bbbb-cccc-444455556666
  :LOGBOOK:
  CLOCK: [2024-05-01 Wed 10:00:00]
  :END:
  author:: [[Lagrange]]
- ## Statement
\t- #+BEGIN_THEOREM Lagrange
\t  The order divides: $$|G| = [G:H]\\,|H|$$
\t  #+END_THEOREM
\t\t- A remark #[[to read]] {{cloze on $n$}} {{embed ((64a0c2de-1111-2222-3333-444455556666))}}
\t\t\t- deep
\t\t\t\t- deeper $m$
- ```python
  x = "$5"
  - no block
  ```
- #+BEGIN_QUERY
  {:query (todo now)}
  #+END_QUERY
- #+BEGIN_SRC lean
  theorem x
  #+END_SRC
- ![a picture](../assets/x.png){:height 300, :width 400}
- last
"""


def graph(folder: Path) -> Path:
    for name, text in {
        "logseq/config.edn": "{}", "pages/Maths___Lagrange%3F.md": "- words", "pages/b.md": PAGE,
        "journals/2024_05_01.md": "- Today #daily", "logseq/bak/pages/b/1.md": PAGE,
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def documents(tmp_path: Path) -> dict[str, Document]:
    problems: list[Problem] = []
    folder = graph(tmp_path / "g")
    assert detect_format(folder) == "logseq"
    documents = {document.id: document for document in open_source(folder, on_problem=problems.append)}
    assert [(problem.where, problem.what) for problem in problems] == [
        ("pages/b.md", "2 references to other blocks or files left out")
    ]
    return documents


def test_pages_are_outlines(documents: dict[str, Document]) -> None:
    assert set(documents) == {
        "g/pages/Maths___Lagrange%3F.md", "g/journals/2024_05_01.md", "g/pages/b.md", "g/pages/b.md#theorem-1",
        "g/pages/b.md#statement",
    }
    first, section = documents["g/pages/b.md"], documents["g/pages/b.md#statement"]
    assert first.title.text == "Lagrange's theorem"
    assert first.metadata["aliases"] == ("Index theorem", "order theorem")
    assert first.metadata["tags"] == ("groups", "finite groups", "to read")
    assert first.fields["body"].to_latex() == "- Let $H \\leq G$. this.\n\nauthor: Lagrange"
    assert [formula.source for formula in section.fields["body"].formulas] == ["n", "m"]
    text = section.fields["body"].text
    assert "A remark to read on" in text
    assert "query" not in text
    assert 'x = "$5"\n- no block' in text
    assert "theorem x" in text
    assert text.endswith("a picture\n\n- last")
    assert section.fields["body"].line_of(text.index("last")) + int(section.metadata["line"]) == 29


def test_blocks_are_units(documents: dict[str, Document]) -> None:
    theorem = documents["g/pages/b.md#theorem-1"]
    assert (theorem.title.text, theorem.metadata["type"], theorem.metadata["line"]) == ("Lagrange", "theorem", "12")
    assert theorem.fields["body"].to_latex() == r"The order divides: $$|G| = [G:H]\,|H|$$"


def test_a_page_without_title_has_the_name_of_its_file(documents: dict[str, Document]) -> None:
    assert documents["g/pages/Maths___Lagrange%3F.md"].title.text == "Maths/Lagrange?"
    assert documents["g/journals/2024_05_01.md"].metadata["tags"] == ("daily",)


def test_other_markdown_stays_markdown(tmp_path: Path) -> None:
    graph(tmp_path / "g")
    (tmp_path / "b.md").write_text("id:: x", encoding="utf-8")
    assert detect_format(tmp_path / "b.md") == "markdown"


@given(st.text(alphabet="-#+: \t\n`~[]{}()BEGINDSRCa_$", max_size=150))
def test_any_text_is_read(text: str) -> None:
    assert len(list(_Outline(text.split("\n")).read())) == text.count("\n") + 1
    list(LogseqReader().documents(text, "x.md", "x", lambda problem: None))


def test_pages_in_org_mode_are_outlines_too(tmp_path: Path) -> None:
    page = tmp_path / "graph" / "pages" / "groups.org"
    page.parent.mkdir(parents=True)
    (tmp_path / "graph" / "logseq").mkdir()
    (tmp_path / "graph" / "logseq" / "config.edn").write_text("{:preferred-format :org}")
    page.write_text(
        "#+title: Finite groups\n#+tags: algebra, [[group theory]]\n\n* Subgroups\n:PROPERTIES:\n:heading: 1\n:END:\n"
        "* TODO Read *Lang*, see [[file:rings.org][rings]] and ((01234567-89ab-cdef-0123-456789abcdef))\n"
        "** The order of \\(H\\) matters:\n#+BEGIN_THEOREM\nThen $|H|$ divides $|G|$.\n#+END_THEOREM\n",
        encoding="utf-8",
    )
    section, theorem = open_source(tmp_path / "graph")
    assert section.fields["title"].text == "Subgroups"
    assert section.fields["body"].to_latex() == "- Read Lang, see rings and\n- The order of $H$ matters:"
    assert (theorem.metadata["type"], theorem.fields["body"].to_latex()) == ("theorem", "Then $|H|$ divides $|G|$.")
    assert (theorem.metadata["tags"], theorem.metadata["line"]) == (("algebra", "group theory"), "10")
