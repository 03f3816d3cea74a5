"""Dumps of wikis and wikitext: pages, templates, formulas, redirects, categories, and damaged dumps."""

from __future__ import annotations

import bz2
import gzip
import random
import tempfile
import tracemalloc
from html import escape
from pathlib import Path

import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.corpus.archives import formats
from porism.corpus.mediawiki import dump
from porism.corpus.opening import open_source
from porism.corpus.registry import detect_format
from porism.types import Document

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>A wiki</sitename>
    <base>{base}</base>
    <namespaces>
      <namespace key="-1" case="first-letter">Special</namespace>
      <namespace key="0" case="first-letter" />
      <namespace key="1" case="first-letter">Talk</namespace>
      <namespace key="6" case="first-letter">Bild</namespace>
      <namespace key="14" case="first-letter">Kategorie</namespace>
      <namespace key="102" case="first-letter">Definition</namespace>
    </namespaces>
  </siteinfo>
"""


def page(title: str, text: str, namespace: int = 0, redirect: str = "", model: str = "wikitext") -> str:
    leads = f'\n    <redirect title="{escape(redirect)}" />' if redirect else ""
    content = f'      <model>{model}</model>\n      <text xml:space="preserve">{escape(text)}</text>\n'
    return (
        f"  <page>\n    <title>{escape(title)}</title>\n    <ns>{namespace}</ns>\n    <id>7</id>{leads}\n"
        f"    <revision>\n{content}    </revision>\n  </page>\n"
    )


def dumped(*pages: str, base: str = "https://wiki.example/wiki/Main_Page") -> str:
    return HEAD.format(base=base) + "".join(pages) + "</mediawiki>\n"


def read(path: Path) -> tuple[list[Document], list[str]]:
    problems: list[str] = []
    return list(open_source(path, on_problem=lambda problem: problems.append(str(problem)))), problems


def body(wikitext: str) -> str:
    """The body of the only document of a page."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "page.wikitext").write_text(wikitext, encoding="utf-8")
        (document,), _ = read(Path(folder) / "page.wikitext")
    return document.fields["body"].to_latex()


def parts(wikitext: str) -> list[tuple[str, str, str, str]]:
    """Type, title, body and proof of the documents of a page."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "Page.wikitext").write_text(wikitext, encoding="utf-8")
        documents, _ = read(Path(folder))
    return [
        (str(document.metadata["type"]), *(
            document.fields[name].to_latex() if name in document.fields else "" for name in ("title", "body", "proof")
        ))
        for document in documents
    ]  # fmt: skip


@every_case(
    ("wikitext", "expected"),
    [
        ("Let <math>x^2 < y</math> be.", "Let $x^2 < y$ be."),
        (":<math>x</math>", "$$x$$"), ("<math display=\"block\">x</math>", "$$x$$"), ("* <math>x</math> a", "$x$ a"),
        (":$x$,", "$$x$$,"), (": $x$ and $y$", "$x$ and $y$"), ("{{ordered list|type=a|x|y}}", "x\ny"),
        ("<chem>H2O</chem> <ce>CO2</ce>", r"$\ce{H2O}$ $\ce{CO2}$"),
        ("{{math|''x''<sup>2</sup> &minus; 1}}", "$x^{2} − 1$"), ("{{mvar|x}}", "$x$"),
        ("{{tmath|\\pi r^2}}", r"$\pi r^2$"),
        ("{{sfrac|1|''n''}}", r"$\frac{1}{n}$"), ("{{Sfrac|3|1|2}}", r"$3\frac{1}{2}$"), ("{{sqrt|2}}", r"$\sqrt{2}$"),
        ("{{math|{{sfrac|''a''|2}} {{=}} sin ''b''}}", r"${\frac{a}{2}} = \operatorname{sin} b$"),
        ("{{math|'''v'''{{sub|''i''}} if ''x''}}", r"$\mathbf{v}_{i} \text{ if } x$"),
        ("''a''<sub>1</sub> + ''b''<sup>2</sup> is", "$a_{1} + b^{2}$ is"),
        ("H<sub>2</sub>", "$H_{2}$"),
        ("Costs $x$ here", "Costs $x$ here"),
        (r"Let $\{ {x} \}_{{a}}$ be", r"Let $\{ {x} \}_{{a}}$ be"),
        ("'''Bold''' and ''italic''", "Bold and italic"),
        ("[[Ring (algebra)|]] [[rings|A]] [[B]]s", "Ring A Bs"),
        ("[http://x.org/a the site] [//y.org] x", "the site x"), ("{{nowrap|a {{nbsp}}b}}", "a b"),
        ("a<!-- b\nc -->d <nowiki>[[x]] ''y''</nowiki>", "a d [[x]] ''y''"),
        ("x<ref>{{cite|<math>y</math>}}</ref>.", "x."),
        ("a {{unknown|b|c=<math>x</math>}}", "a $x$"), ("{{Infobox|a=<math>x</math>}}text", "text"),
        ("[[File:a.png|thumb|A <math>x</math> drawing]]", "A $x$ drawing"), ("{{{1|default}}} {{{x}}}.", "default."),
        ("{| class=x\n|-\n! A !! B\n|-\n| style=\"y\" | <math>1|2</math> || c\n|}", "A\nB\n$1|2$\nc"),
        ("* one\n** two\n# three\n; term : x", "one\ntwo\nthree\nterm: x"), ("__NOTOC__a\n----\nb", "a\nb"),
        ("a [[b {{c| d", "a [[b {{c| d"), ("]] }} | a", "]] }} | a"), ("{{{{x}} y", "{{ y"),
    ],
)  # fmt: skip
def test_wikitext(wikitext: str, expected: str) -> None:
    assert body(wikitext) == expected


def test_statements_under_headings_and_in_templates() -> None:
    proofwiki = """== Theorem ==
Let $n > 1$.

== Proof 1 ==
{{begin-eqn}}
{{eqn | l = a^2
      | r = b | c = by [[Definition:Square|square]] of $a$ }}
{{eqn | o = \\le | r = {{sfrac|1|2}}
}}
{{end-eqn}}
{{qed}}

== Also see ==
* [[Other]]
== Historical Note ==
Found late.
"""
    assert parts(proofwiki) == [
        ("theorem", "Page", "Let $n > 1$.",
         r"$$\begin{aligned} a^2 & = b \\ & \le \frac{1}{2} \end{aligned}$$ by square of $a$ ∎"),
        ("section", "Historical Note", "Found late.", ""),
    ]  # fmt: skip
    wikipedia = """Intro.
{{math theorem|name=Hurwitz|math_statement=
For each <math>\\xi</math>:
* one}}
{{math proof|title=Proof|proof=Easy.}}
{{Théorème|Gauss|Soit {{mvar|p}}.}}
=== Lemma 2 (Zorn) ===
Chains.
"""
    assert parts(wikipedia) == [
        ("section", "Page", "Intro.", ""), ("theorem", "Hurwitz", "For each $\\xi$:\none", "Easy."),
        ("théorème", "Gauss", "Soit $p$.", ""), ("lemma", "Zorn", "Chains.", ""),
    ]  # fmt: skip


def test_lines_are_those_of_the_page(tmp_path: Path) -> None:
    text = (
        "{{Short\n|x\n}}\nintro\n<!-- a\nb -->\n== A ==\n{{eqn\n| l = a\n}}\nfirst\n\n* [[x\n|y]]\n"
        "* second <math>\nz</math>\n"
    )
    (tmp_path / "p.wikitext").write_text(text + "long " * 500, encoding="utf-8")
    _, section = read(tmp_path / "p.wikitext")[0]
    content = section.fields["body"]
    assert section.metadata["line"] == "7"
    line = 7 + content.line_of(content.text.index("second"))
    assert text.split("\n")[line - 1].startswith("* second")


@pytest.mark.parametrize("name", ["w.xml", "w.xml.gz", "w.xml.bz2", "w.xml.7z"])
def test_a_dump(name: str, tmp_path: Path) -> None:
    words = "word " * 500
    data = dumped(
        page("Zorn Lemma", "#REDIRECT", redirect="Zorn's Lemma"),
        page("Zorn's Lemma", f"Chains.\n[[Kategorie:Order Theory|Z]] [[Category:Sets]]\n{words}\n== A part ==\nx"),
        page("Kuratowski", "#REDIRECT", redirect="Zorn's Lemma"), page("Talk:Zorn's Lemma", "no", 1),
        page("Definition:Chain", "A chain."), page("Module", "return", model="Scribunto"),
    ).encode()  # fmt: skip
    if name.endswith(".7z"):
        py7zr = pytest.importorskip("py7zr")
        with py7zr.SevenZipFile(tmp_path / name, "w") as archive:
            archive.writestr(data, "w.xml")
        name = "w.xml.7z/w.xml"
    else:
        pack = {"gz": gzip.compress, "bz2": bz2.compress}.get(name.rpartition(".")[2], bytes)
        (tmp_path / name).write_bytes(pack(data))
        assert detect_format(tmp_path / name) == "mediawiki"
    documents, problems = read(tmp_path)
    whole, part, chain = documents
    assert [document.id.partition("/")[2] for document in documents] == [
        f"{name}/Zorn's Lemma", f"{name}/Zorn's Lemma#A_part", f"{name}/Definition:Chain"
    ]  # fmt: skip
    assert whole.title.text == "Zorn's Lemma"
    assert whole.metadata["aliases"] == ("Zorn Lemma", "Kuratowski")
    assert whole.fields["aliases"].text == "Zorn Lemma, Kuratowski"
    assert whole.metadata["tags"] == ("Order Theory", "Sets")
    assert whole.metadata["file"] == f"{name}/Zorn's Lemma"
    assert whole.metadata["language"] == "english"
    assert [document.metadata["url"] for document in documents] == [
        "https://wiki.example/wiki/Zorn%27s_Lemma", "https://wiki.example/wiki/Zorn%27s_Lemma#A_part",
        "https://wiki.example/wiki/Definition:Chain",
    ]  # fmt: skip
    assert chain.title.text == "Definition:Chain"
    assert part.fields["section"].text == "Zorn's Lemma"
    assert problems == [
        f"{name}: pages that are no articles are left out: 1 page of Talk, 1 page of content Scribunto"
    ]  # fmt: skip


def test_articles_of_wikimedia_are_those_of_the_main_namespace(tmp_path: Path) -> None:
    pages = page("A", "a"), page("Definition:B", "b", 102)
    (tmp_path / "w.xml").write_text(dumped(*pages, base="https://de.wikipedia.org/wiki/X"), encoding="utf-8")
    documents, problems = read(tmp_path / "w.xml")
    assert [document.id for document in documents] == ["w.xml/A"]
    assert problems == ["w.xml: pages that are no articles are left out: 1 page of Definition"]


def test_macros_of_the_wiki_and_of_files_beside_its_dump(tmp_path: Path) -> None:
    text = page("A", r"$\map f x \in \closedint 0 1$ and $\own$")
    (tmp_path / "w.xml").write_text(dumped(text, base="https://proofwiki.org/wiki/Main_Page"), encoding="utf-8")
    (tmp_path / "macros.sty").write_text(r"\newcommand{\own}{\Omega}", encoding="utf-8")
    (document,), _ = read(tmp_path / "w.xml")
    assert [formula.source for formula in document.fields["body"].formulas] == [
        r"f\left(x\right) \in \left[0, 1\right]", r"\Omega"
    ]  # fmt: skip


def test_templates_that_are_not_known_are_counted(tmp_path: Path) -> None:
    text = "{{odd}} {{Odd}} {{strange|x}} " + " ".join(f"{{{{n{number}}}}}" for number in range(12))
    (tmp_path / "w.xml").write_text(dumped(page("A", f"a {text}")), encoding="utf-8")
    assert read(tmp_path / "w.xml")[1] == [
        "w.xml: of templates that are not known only formulas are read: odd (2), strange (1), n0 (1), n1 (1), n2 (1), "
        "n3 (1), n4 (1), n5 (1), n6 (1), n7 (1) and 4 more"
    ]


def test_of_a_history_the_last_revision_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    revision = "<revision><text>{}</text></revision>"
    revisions = [revision.format(f"old {number} " + "x" * 1000) for number in range(300)] + [revision.format("newest")]
    history = f"<page><title>A</title><ns>0</ns>{''.join(revisions)}</page>\n"
    (tmp_path / "w.xml").write_text(dumped(history, page("B", "b")), encoding="utf-8")
    for module in (dump, formats):
        monkeypatch.setattr(module, "BLOCK", 10_000)
    monkeypatch.setattr(dump, "MAX_PAGE_LENGTH", 20_000)
    documents, problems = read(tmp_path / "w.xml")
    assert [document.fields["body"].text for document in documents] == ["newest", "b"]
    assert not problems
    huge = page("H", "x" * 90_000)
    (tmp_path / "w.xml").write_text(dumped(page("A", "a"), huge, page("B", "b")), encoding="utf-8")
    documents, problems = read(tmp_path / "w.xml")
    assert [document.fields["body"].text for document in documents] == ["a", "b"]
    assert problems == ["w.xml:22: a page longer than 0 MB is skipped"]


def test_broken_pages_cost_themselves_alone(tmp_path: Path) -> None:
    bare = page("Bare", "a").replace("<text xml:space=\"preserve\">a", "<text>x & y \x01 &undefined; z")
    torn = page("Torn", "a").replace("</revision>", "</revisoin>")
    endless = page("Endless", "a").replace("</page>", "")
    bomb = '<!DOCTYPE m [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;">]>\n'
    entity = page("Entity", "x").replace(">x<", ">&b;<")
    data = dumped(page("A", "first"), bare, torn, endless, entity, page("Z", "last"))
    (tmp_path / "w.xml").write_text(bomb + data, encoding="utf-8")
    documents, problems = read(tmp_path / "w.xml")
    assert [document.fields["body"].text for document in documents] == ["first", "x & y &undefined; z", "&b;", "last"]
    assert [problem.partition(": ")[2].partition(" (")[0] for problem in problems] == [
        "a page is repaired", "a broken page is skipped", "a page without its end is skipped", "a page is repaired",
    ]  # fmt: skip
    assert [problem.partition(": ")[0] for problem in problems] == ["w.xml:24", "w.xml:33", "w.xml:42", "w.xml:51"]


def test_a_dump_that_breaks_off(tmp_path: Path) -> None:
    rng = random.Random(1)
    packed = bz2.compress(dumped(*(page(f"P{number}", rng.randbytes(900).hex()) for number in range(1300))).encode())
    (tmp_path / "w.xml.bz2").write_bytes(packed[: 2 * len(packed) // 3])
    documents, problems = read(tmp_path / "w.xml.bz2")
    assert [document.id for document in documents[:2]] == ["w.xml.bz2/P0", "w.xml.bz2/P1"]
    assert "w.xml.bz2: the file breaks off or is damaged; what came before is read" in problems


@given(st.text(alphabet="{}[]|=<>!-#*:'\n ax$\\&;/\x02\x0b", max_size=200))
def test_random_wikitext_never_raises(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "w.xml").write_text(dumped(page("A", text), page("B", "end")), encoding="utf-8")
        documents, _ = read(Path(folder) / "w.xml")
    assert documents[-1].fields["body"].text == "end"


def test_memory_does_not_grow_with_the_dump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (dump, formats):
        monkeypatch.setattr(module, "BLOCK", 20_000)

    def peak(count: int) -> int:
        path = tmp_path / f"w{count}.xml"
        path.write_text(dumped(*(page(f"P{number}", "word " * 400) for number in range(count))), encoding="utf-8")
        tracemalloc.start()
        for _ in open_source(path):
            pass
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(20)
    assert peak(200) < 1.3 * peak(60)


def test_a_dump_says_how_far_it_is_beside_other_files_too(tmp_path: Path) -> None:
    pages = "".join(
        f"<page><title>P{number}</title><ns>0</ns><revision><text>{'Text. ' * 200_000}</text></revision></page>\n"
        for number in range(4)
    )
    folder = tmp_path / "wiki"
    folder.mkdir()
    (folder / "a.xml.gz").write_bytes(gzip.compress(f"<mediawiki>\n{pages}</mediawiki>".encode()))
    (folder / "b.md").write_text("# Note\n\nText.\n")
    said: list[tuple[int, int]] = []
    assert len(list(open_source(folder, on_progress=lambda done, total: said.append((done, total))))) > 4
    size = (folder / "a.xml.gz").stat().st_size
    within = sorted({done for done, _ in said if 0 < done < size})
    assert len(within) > 1
    assert said == sorted(said)
    assert len({total for _, total in said}) == 1


def test_paragraphs_with_heads_of_statements_are_theorem_like_blocks() -> None:
    text = (
        "Intro.\n\n<div class=\"theorem\">\n'''Theorem 1''' (Lagrange). ''Let <math>G</math> be finite.''\n\n</div>\n\n"
        "''Proof.'' Clear. ◻\n\n'''Lemma 2.''' A lemma.\n\nAfter it."
    )
    read_parts = {kind: (title, body) for kind, title, body, _ in parts(text)}
    assert read_parts["theorem"] == ("Lagrange", "Let $G$ be finite.")
    assert read_parts["lemma"][1] == "A lemma."
