"""Where documents stand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from case_tables import every_case

import porism
from porism.search.locations import Location


def test_what_metadata_tell() -> None:
    location = Location.of({
        "source": "stacks", "file": "algebra.tex", "line": "3616", "type": "main-lemma", "tag": "00Q9",
        "section": ("Quasi-finite maps", "The ring $A_x$"), "url": "https://example.org/00Q9",
    })
    assert location.text() == (
        "algebra.tex:3616 · Main lemma · Quasi-finite maps › The ring Aₓ · tag 00Q9 · https://example.org/00Q9"
    )
    assert location.text(with_source=True).startswith("stacks/algebra.tex:3616 · ")
    assert location.to_dict() == {
        "source": "stacks", "file": "algebra.tex", "line": 3616, "kind": "main-lemma", "tag": "00Q9",
        "section": ["Quasi-finite maps", "The ring Aₓ"], "url": "https://example.org/00Q9",
    }


def test_long_lines_lose_outer_headings_and_repeated_ones() -> None:
    location = Location.of({"file": "a.tex", "line": "3", "section": ("Outer part", "Middle part", "Inner part")})
    assert location.text(title="Inner part") == "a.tex:3 · Outer part › Middle part"
    assert location.text(longest=100) == "a.tex:3 · Outer part › Middle part › Inner part"
    assert location.text(longest=40) == "a.tex:3 · … › Middle part › Inner part"
    assert location.text(longest=30) == "a.tex:3 · … › Inner part"
    assert location.text(longest=5) == "a.tex:3 · … › Inner part"


@every_case(("metadata", "text"), [
    ({}, ""), ({"file": "notes.md"}, "notes.md"),
    ({"source": "notes.md", "file": "notes.md", "line": "2"}, "notes.md:2"),
    ({"line": "7"}, ""), ({"file": "a", "line": "zero"}, "a"), ({"file": "a", "line": "0"}, "a"),
    ({"type": "answer"}, "Answer"), ({"type": "document"}, ""), ({"type": "section"}, ""),
    ({"url": "javascript:alert(1)"}, ""), ({"link": "http://a.b"}, "http://a.b"),
    ({"file": "a\x1b[2J\nb"}, "a�[2J b"), ({"file": "a", "section": "x" * 80}, "a · " + "x" * 59 + "…"),
])
def test_lines_show_what_is_known(metadata: dict[str, str], text: str) -> None:
    assert Location.of(metadata).text(with_source=True) == text


def test_paths_come_from_the_sources_of_the_index(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    (folder / "part").mkdir(parents=True)
    (folder / "part" / "one.md").write_text("# Primes\n\nEvery prime is odd but one.\n", encoding="utf-8")
    single = tmp_path / "single.md"
    single.write_text("# Doubles\n\nEvery double is twice another.\n", encoding="utf-8")
    porism.index_sources([folder, single], tmp_path / "index", jobs=1)
    with porism.open_index(tmp_path / "index") as index:
        (prime,) = index.search("prime", 1)
        (double,) = index.search("double", 1)
        assert prime.location.path == folder / "part" / "one.md"
        assert double.location.path == single
        assert prime.location.text(True).startswith("notes/part/one.md")
        assert double.location.text(True).startswith("single.md")
        assert prime.location.line == 3
        assert index.location(prime.id) == replace(prime.location, line=1)
        assert not index.has_changed(prime.location)
        prime.location.path.write_text("# Primes\n\nEvery prime is odd, except one.\n", encoding="utf-8")
        assert index.has_changed(prime.location)
        single.write_text(single.read_text(encoding="utf-8").replace("twice", "thice"), encoding="utf-8")
        assert index.has_changed(double.location)  # as long as before
        single.unlink()
        assert not index.has_changed(double.location)


def test_a_hit_in_a_long_note_is_at_the_line_of_the_match(tmp_path: Path) -> None:
    note = tmp_path / "notes" / "a.md"
    note.parent.mkdir()
    steps = [f"In step {number} nothing happens." for number in range(3, 66)]
    note.write_text("\n".join(["# Steps", "", *steps, "Then $x^2+y^2=z^2$, a needle."]), encoding="utf-8")
    porism.index_sources([note.parent], tmp_path / "index", jobs=1)
    with porism.open_index(tmp_path / "index") as index:
        for question in ("needle", "$x^2+y^2=z^2$", "happens needle"):
            (hit,) = index.search(question, 1)
            assert hit.location.place() == "a.md:66"
            assert hit.to_dict()["location"]["line"] == 66
        (hit,) = index.search("step 40", 1)
        assert hit.location.line == 40
        (hit,) = index.search("step 4", 1)
        assert hit.location.line == 4
        (hit,) = index.search("steps", 1, filters={"file": "a.md"})
        assert hit.location.line == 3  # what is shown matches too
        assert index.location(hit.id).line == 1
        assert index.location(hit.id, "body").line == 66  # of its first formula


def test_a_hit_whose_text_does_not_match_is_at_its_beginning(tmp_path: Path) -> None:
    note = tmp_path / "notes" / "a.tex"
    note.parent.mkdir()
    note.write_text(
        "\\documentclass{article}\\newtheorem{lemma}{Lemma}\n\\begin{document}\n"
        "\\begin{lemma}[Zorn]\n\nA chain\nhas a bound.\n\\end{lemma}\n\\end{document}\n", encoding="utf-8",
    )
    porism.index_sources([note.parent], tmp_path / "index", jobs=1)
    with porism.open_index(tmp_path / "index") as index:
        assert index.search("Zorn", 1)[0].location.text() == "a.tex:3 · Lemma"
        assert index.search("Zorn bound", 1)[0].location.text() == "a.tex:6 · Lemma"


def test_the_place_of_a_pdf_is_a_page_and_its_address_opens_it(tmp_path: Path) -> None:
    location = Location("papers", "a/paper.pdf", 12, tmp_path / "a" / "paper.pdf")
    assert location.place() == "a/paper.pdf:p. 12"
    assert location.address == (tmp_path / "a" / "paper.pdf").resolve().as_uri() + "#page=12"
    assert Location("notes", "a.md", 12, tmp_path / "a.md").address == (tmp_path / "a.md").resolve().as_uri()
    assert Location("notes", "a.pdf", 1).address is None
