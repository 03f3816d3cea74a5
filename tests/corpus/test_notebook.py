"""Jupyter notebooks: cells of both formats, and broken ones."""

from __future__ import annotations

import json
from textwrap import dedent
from typing import Any

from case_tables import every_case

from porism.corpus.notebooks.reader import notebook_documents
from porism.errors import Problem
from porism.types import Document


def read(notebook: Any, problems: list[Problem] | None = None) -> list[Document]:
    text = notebook if isinstance(notebook, str) else json.dumps(notebook)
    return list(notebook_documents(text, "n.ipynb", "notes", (problems if problems is not None else []).append))


def markdown(*lines: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "source": [line + "\n" for line in lines]}


def test_markdown_cells_by_headings() -> None:
    documents = read({"nbformat": 4, "cells": [markdown("# A", "$x$"), markdown("word " * 500), markdown("## B", "b")]})
    assert [document.id for document in documents] == ["n.ipynb#a", "n.ipynb#b"]
    assert documents[0].fields["body"].to_latex().startswith("$x$\n\nword")
    assert documents[1].metadata["section"] == ("A", "B")


def test_code_gives_comments_docstrings_and_latex_output() -> None:
    (document,) = read(
        {
            "cells": [
                {
                    "cell_type": "code",
                    "source": '# the sum of squares\nx = 1  # kept out\n#!shebang\n"""A docstring."""',
                    "outputs": [
                        {"data": {"text/latex": ["$\\displaystyle ", "x^2$"], "text/plain": "x**2"}},
                        {"text": "ignored"},
                        "broken",
                    ],
                }
            ]
        }
    )
    assert document.fields["body"].to_latex() == "the sum of squares\nA docstring.\n\n$\\displaystyle x^2$"


def code(source: str, **more: Any) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, **more}


def test_only_comments_and_docstrings_of_python_are_text() -> None:
    source = """
    def area(r):
        \'\'\'The area
        of a disc.\'\'\'
        # from the radius
        return pi * r**2, "# no comment", \'\'\'no docstring\'\'\'
    """
    (document,) = read({"cells": [code(dedent(source))]})
    assert document.fields["body"].text == "The area\nof a disc.\nfrom the radius"


def test_commands_of_ipython_are_passed_over() -> None:
    problems: list[Problem] = []
    source = "%matplotlib inline\n# one?\nif x:\n    !ls\nfiles = !ls\nf??\n# two"
    cells = [code(source), code("%%time\n# three\nf(x)"), code("%%bash\n# four\nls -l")]
    (document,) = read({"cells": cells}, problems)
    assert document.fields["body"].text == "one?\ntwo\n\nthree"
    assert problems == []


def test_code_that_is_no_python_is_reported_once() -> None:
    problems: list[Problem] = []
    cells = [code("# a\nprint 'x'"), code("# b"), code("# c\nx = ("), code("-" * 20_000 + "1"), code("x\0y")]
    (document,) = read({"cells": cells}, problems)
    assert document.fields["body"].text == "b"
    assert [problem.where for problem in problems] == ["n.ipynb:cell 1"]
    assert "not Python" in problems[0].what


@every_case(
    ("metadata", "text"),
    [
        ({"language_info": {"name": "python"}}, "a\n\n$y$"),
        ({"kernelspec": {"language": "python", "name": "x"}}, "a\n\n$y$"),
        ({"language_info": {"name": "julia"}}, "$y$"),
        ({"language_info": 7, "kernelspec": {"language": "R"}}, "$y$"),
    ],
)
def test_code_in_other_languages_is_left_out_but_not_its_results(metadata: dict[str, Any], text: str) -> None:
    problems: list[Problem] = []
    cell = code("# a", outputs=[{"data": {"text/latex": "$y$"}}])
    (document,) = read({"metadata": metadata, "cells": [cell]}, problems)
    assert document.fields["body"].to_latex() == text
    assert problems == []


def test_format_3() -> None:
    (document,) = read(
        {
            "nbformat": 3,
            "worksheets": [
                {"cells": [{"cell_type": "heading", "level": 2, "source": "H"}, markdown("t"),
                           {"cell_type": "code", "input": "# c", "outputs": [{"latex": "$$y$$"}]}]}
            ],
        }
    )  # fmt: skip
    assert document.title.text == "H"
    assert document.fields["body"].to_latex() == "t\n\nc\n\n$$y$$"


def test_broken_cells_are_reported_and_the_others_read() -> None:
    problems: list[Problem] = []
    cells = [7, {"cell_type": "markdown", "source": 3}, markdown("ok"), {"source": "x"}]
    (document,) = read({"cells": cells}, problems)
    assert document.fields["body"].text == "ok"
    assert [problem.where for problem in problems] == ["n.ipynb:cell 1", "n.ipynb:cell 2", "n.ipynb:cell 4"]


@every_case("text", ['{"cells": [', "[]", "7", '{"a": 1}', '{"cells": 7}', "[" * 100_000])
def test_what_is_no_notebook_is_one_problem(text: str) -> None:
    problems: list[Problem] = []
    assert read(text, problems) == []
    assert len(problems) == 1
    assert "is not a notebook" in problems[0].what
