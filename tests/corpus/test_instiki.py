"""Pages of Instiki, as the nLab has them."""

from __future__ import annotations

from pathlib import Path

from porism.corpus.markdown.instiki import without_instiki
from porism.corpus.opening import open_source
from porism.types import Document

PAGE = r"""
+-- {: .rightHandSide}
+-- {: .toc .clickDown tabindex="0"}
###Context###
+--{: .hide}
[[!include topology - contents]]
=--
=--
=--

#Contents#
* table of contents
{:toc}

## Idea

A cover by [[open ball|open balls]], \linebreak see \ref{Stokes}.

### Existence
 {#Existence}

+-- {: .num_theorem #Stokes}
###### Theorem
**(Stokes theorem for [[fiber integration]])**

For $X$ compact
\[ \int_{\partial X} \omega = \int_X d \omega \]
 =--

+-- {: .proof}
###### Proof

Clear.

=--

+-- {: .un_defn}
###### Definition (Lawvere)
A *topos* is $T$.
=--

```
+-- {: .num_theorem}
[[!redirects code]]
```

\begin{imagefromfile}
  "file_name": "cover.png"
\end{imagefromfile}

[[!include proofs]]

* {#Lang} Lang, _Algebra_

category: cohomology, topology

[[!redirects good covers]]
"""


def read(path: Path) -> tuple[list[Document], list[str]]:
    problems: list[str] = []
    return list(open_source(path, on_problem=lambda problem: problems.append(str(problem)))), problems


def test_blocks_names_and_categories(tmp_path: Path) -> None:
    folder = tmp_path / "nlab" / "1000"
    folder.mkdir(parents=True)
    (folder / "content.md").write_text(PAGE, encoding="utf-8")
    (folder / "name").write_text("good cover\n", encoding="utf-8")
    documents, problems = read(tmp_path / "nlab")
    theorem, definition = (
        next(document for document in documents if document.metadata["type"] == kind)
        for kind in ("theorem", "definition")
    )
    assert problems == ["1000/content.md: 1 page included there are left out"]
    assert theorem.metadata["section"] == ("good cover", "Idea", "Existence")
    assert (theorem.metadata["aliases"], theorem.metadata["tags"]) == (("good covers",), ("cohomology", "topology"))
    assert (theorem.fields["title"].text, theorem.metadata["labels"]) == (
        "Stokes theorem for fiber integration", ("Stokes",)
    )
    assert theorem.fields["body"].to_latex() == (
        "For $X$ compact\n$$\\int_{\\partial X} \\omega = \\int_X d \\omega$$"
    )
    assert (theorem.fields["proof"].text, theorem.metadata["line"]) == ("Clear.", "22")
    assert (definition.metadata["type"], definition.fields["title"].text) == ("definition", "Lawvere")
    text = "\n".join(content.text for document in documents for content in document.fields.values())
    assert "open balls" in text
    assert "[[!redirects code]]" in text
    for absent in ("Context", "Contents", "linebreak", "cover.png", "{#Lang}", "category:", "good covers]]"):
        assert absent not in text, absent


def test_other_texts_stay_as_they_are_and_lines_keep_their_numbers() -> None:
    for text in ("+-- a table --+\n=--\n", "category: x\n* table of contents", ""):
        assert without_instiki(text).text == text
    for page in (PAGE, PAGE[:420], PAGE.replace("=--", "")):
        lines = without_instiki(page).text.split("\n")
        for place, line in enumerate(page.split("\n")):
            if line.startswith(("For $X", "\\[", "Clear", "A *topos*", "```")) and "=--" in page:
                assert lines[place] == line
        assert len(lines) >= page.count("\n") + 1
