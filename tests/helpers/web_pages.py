"""All kinds of pages of a server of the bundled sample, with an editor, judgments and three runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from web_servers import serving

from porism.runs.run import Run

QUESTION = r"sum of squares $\sum_{i=1}^n i^2$"
PAGES = (
    "/", f"/search?q={quote(QUESTION)}", "/search?q=%24x%5E2%2By%5E2%24&mode=formulas",
    "/document?id=basel-by-parseval&q=series", "/compare?left=sum-of-squares&right=square-pyramid",
    "/similar?id=chain-rule", "/formula?formula=x%5E2%2By", "/help", "/api", "/search?q=foo:bar", "/nothing",
    f"/why?q={quote(QUESTION)}&id=sum-of-squares", "/search?q=series&filter=type%3Dtheorem&filter=tags%3Dgeometry",
    "/occurrences?formula=x%5E2", "/equal", f"/equal?first={quote(r'(a+b)^2+1/n')}&second={quote(r'a^2+b^2+1/n')}",
)

RUN_PAGES = ("/runs", "/run?name=two&against=one", "/run/topic?name=two&topic=A&against=one")

WIDE_FORMULA = "/formula?formula=" + quote(
    r"\int_{-\infty}^{\infty} \frac{x^2 e^{-x^2/2}}{\sqrt{2\pi}} \left(1+\frac{1}{x^4+x^3+x^2+x+1}\right) dx = "
    r"\sum_{n=0}^{\infty} \frac{(-1)^n}{(2n+1)!} \prod_{k=1}^{n} \left(1-\frac{1}{k^2}\right)"
)


@contextmanager
def serving_all_pages(sample_index: Path, folder: Path) -> Iterator[str]:
    """Serves the sample with all kinds of pages while the block runs, files in an empty folder; the address."""
    editor, judgments, files = (folder / name for name in ("mathlive", "judgments", "runs"))
    for one in (editor, judgments, files):
        one.mkdir()
    (editor / "mathlive.min.js").write_text(
        "customElements.define('math-field', class extends HTMLElement {"
        " connectedCallback() { this.value = 'x^2'; } })",
        encoding="utf-8",
    )
    for name, doc_ids in (("one", ["sum-of-squares", "x"]), ("two", ["square-pyramid", "sum-of-squares"])):
        Run({topic: [(doc_id, 1 / rank) for rank, doc_id in enumerate(doc_ids, 1)] for topic in ("A", "B")}).write(
            files / f"{name}.run"
        )
    Run({"A": [(f"d{number}", 1 / number) for number in range(1, 101)]}).write(files / "many.run")
    (files / "qrels").write_text("A 0 sum-of-squares 3\nA 0 x 0\nB 0 square-pyramid 2\n", encoding="utf-8")
    (files / "topics").write_text(f"A\t{QUESTION}\nB\tpyramids\n", encoding="utf-8")
    runs = tuple(files / f"{name}.run" for name in ("one", "two", "many"))
    with serving(
        {"sample": sample_index}, editor=editor, judgments=judgments, runs=runs, qrels=files / "qrels",
        topics=files / "topics",
    ) as address:
        yield address


def scrolls_by_keys(page: Any, shown: Any) -> bool:
    """Whether what is wider than its place can have the focus and be scrolled by an arrow key."""
    shown.focus()
    for _ in range(50):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(100)
        if shown.evaluate("one => one.scrollLeft > 0"):
            return True
    return False
