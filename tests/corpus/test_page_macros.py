"""Macros that sites, books, vaults and pages define are expanded in the formulas of their pages."""

from __future__ import annotations

from pathlib import Path

from case_tables import every_case

from porism.corpus import open_source
from porism.corpus.macro_files import definitions_of
from porism.corpus.text_reader import PageMacros
from porism.search.sources.updating import index_sources, update_index

FILES = {
    "preamble.sty": "\\usepackage{amsmath}\n\\newcommand{\\R}{\\mathbb{R}}\n\\def\\half#1{\\frac{#1}{2}}\n",
    "_config.yml": (
        "title: A book\nsphinx:\n  config:\n    mathjax3_config:\n      tex:\n        macros:\n"
        "          R: \"\\\\mathbb{R}\"\n          half: [\"\\\\frac{#1}{2}\", 1]\n"
    ),
    "myst.yml": "project:\n  math:\n    '\\R': '\\mathbb{R}'\n    '\\half': '\\frac{#1}{2}'\n",
    "_quarto.yml": (
        "format:\n  html:\n    include-in-header:\n      - text: |\n          <script>window.MathJax = {tex: {macros: "
        "{R: '\\\\mathbb{R}', half: ['\\\\frac{#1}{2}', 1]}}};</script>\n"
    ),
    "conf.py": (
        "import os\nextensions = ['x']\nmathjax3_config = {'tex': {'macros': {'R': r'\\mathbb{R}', "
        "'half': [r'\\frac{#1}{2}', 1]}}}\n"
    ),
    "docs/javascripts/mathjax.js": (
        "window.MathJax = { tex: { inlineMath: [['$', '$']],\n  macros: { // ours\n    R: \"\\\\mathbb{R}\",\n"
        "    'half': [\"\\\\frac{#1}{2}\", 1], /* and */ \n  } } };\n"
    ),
    "layouts/partials/katex.html": (
        "<script>renderMathInElement(document.body, {macros: {\"\\\\R\": \"\\\\mathbb{R}\", "
        "\"\\\\half\": \"\\\\frac{#1}{2}\"}});</script>\n"
    ),
}


def formulas(path: Path) -> list[str]:
    return [
        formula.source
        for document in open_source(path) for content in document.fields.values() for formula in content.formulas
    ]


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


@every_case("name", list(FILES))
def test_macros_of_a_site_hold_in_all_of_its_pages(tmp_path: Path, name: str) -> None:
    pages = {"a.md": "$x^\\R$", "sub/b.md": "$\\half{\\R}$", "sub/c.rst": ":math:`\\half y`\n", "sub/d.htm": "$\\R$"}
    write(tmp_path, {name: FILES[name], **pages})
    found = [source for source in formulas(tmp_path) if "usepackage" not in source]
    assert found == ["x^{\\mathbb{R}}", "\\frac{\\mathbb{R}}{2}", "\\frac{y}{2}", "\\mathbb{R}"]


@every_case(
    "text",
    [
        "---\nmath:\n  '\\R': '\\mathbb{R}'\n---\n$\\R$",
        "---\nheader-includes: |\n  \\newcommand{\\R}{\\mathbb{R}}\n---\n$\\R$",
        "\\newcommand{\\R}{\\mathbb{R}}\n\n$\\R$",
        "$$\n\\newcommand{\\R}{\\mathbb{R}}\n\\DeclareMathOperator{\\Hom}{Hom}\n$$\n\n$\\R$",
    ],
)
def test_macros_of_a_page_hold_in_it(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"a.md": text, "b.md": "$\\R$"})
    assert formulas(tmp_path) == ["\\mathbb{R}", "\\R"]
    bodies = [document.fields["body"].text for document in open_source(tmp_path)]
    assert not any("newcommand" in body for body in bodies)


def test_a_definition_among_formulas_holds_from_there_on(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "$\\R$ then $\\newcommand{\\R}{\\mathbb{R}}$ then $\\R^n$"})
    assert formulas(tmp_path) == ["\\R", "\\newcommand{\\R}{\\mathbb{R}}", "\\mathbb{R}^n"]


@every_case(
    ("settings", "definitions"),
    [
        ({"tex": {"Macros": {"E": ["\\mathbb{E}[#2]", 2, "x"]}}}, "\\newcommand{\\E}[2][x]{\\mathbb{E}[#2]}"),
        ({"math": {"enable": "true"}}, ""),
        ({"macros": {"open": "\\{", "bad": "{", "x1": "a"}}, "\\newcommand{\\open}{\\{}"),
        ({"a": [{"latex_preamble": "\\def\\x{y}"}]}, "\\def\\x{y}"),
        (None, ""),
    ],
)
def test_settings_that_define_macros(settings: object, definitions: str) -> None:
    assert definitions_of(settings) == definitions


def test_a_macro_that_expands_without_end_is_left() -> None:
    macros = PageMacros(["\\newcommand{\\x}{\\x\\x} \\newcommand{\\y}{z}"])
    assert "\\x" in macros.expanded("a \\x b")
    assert macros.expanded("\\y") == "z"


def test_pages_are_read_again_where_macros_change_or_come(tmp_path: Path) -> None:
    root, index = tmp_path / "vault", tmp_path / "index"
    write(root, {"a.md": "words and $\\R$"})
    index_sources([root], index, jobs=1)
    assert update_index(index, jobs=1).changed == 0
    write(root, {"preamble.sty": FILES["preamble.sty"]})
    assert update_index(index, jobs=1).changed == 1
    write(root, {"preamble.sty": "\\newcommand{\\R}{\\mathbf{R}}\n"})
    assert update_index(index, jobs=1).changed == 1
    (root / "preamble.sty").unlink()
    assert update_index(index, jobs=1).changed == 1
    assert update_index(index, jobs=1).changed == 0
