"""Formulas as Porism sets them beside KaTeX and MathJax, in one picture; and how far their sizes differ.

    npm install --prefix DIR katex mathjax
    python -m benchmarks peers rendering --node DIR [--picture FILE.png] [--only TEXT] [--rows 26]
    python -m benchmarks peers rendering --node DIR --source ../shared/data/stackmathqa-sample.jsonl [--count 700]

Chromium shows a list of formulas of our own (:mod:`benchmarks.peers.rendered_formulas`) three times: as MathML of
Porism with the font of its pages, and as KaTeX and MathJax set them. The picture is to be looked at. The table says
how wide and high ours is beside KaTeX's, largest differences first: none of them need be zero, but a large one is
a space or a symbol that is set differently. With ``--source``, formulas of a collection that are between 7 and 110
characters long are taken at random and measured, without a picture.

It needs playwright (``pip install 'porism[web-test]'``), Chromium, and the two libraries in ``DIR/node_modules``.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import RESULTS, ROOT
from benchmarks.chromium import need_chromium
from benchmarks.peers.rendered_formulas import FORMULAS
from porism.corpus import open_source
from porism.formula import parse_latex, to_mathml

STYLES = ROOT / "src" / "porism" / "serve" / "web" / "static"
SETTERS = ("Porism", "KaTeX", "MathJax")
PAGE = """<!doctype html>
<meta charset="utf-8">
<link rel="stylesheet" href="{styles}/math.css">
<link rel="stylesheet" href="{node}/katex/dist/katex.min.css">
<style>
body {{ font: 20px/1.4 serif; margin: 12px; background: #fff; color: #000; }}
table {{ border-collapse: collapse; }} td, th {{ border-bottom: 1px solid #ddd; padding: 7px 14px; text-align: left; }}
th {{ font: 600 14px sans-serif; }} .number {{ font: 12px sans-serif; color: #888; }}
td > span {{ display: inline-block; white-space: nowrap; }} .katex {{ font-size: 1em; }}
math {{ font-size: 1em; }} .katex-display, mjx-container[display="true"] {{ margin: 0 !important; }}
</style>
<script>window.MathJax = {{
  startup: {{ typeset: false }}, options: {{ enableMenu: false }},
  output: {{ fontPath: "{node}/@mathjax/%%FONT%%-font" }},
  loader: {{ load: ["[tex]/mathtools"], paths: {{ mathjax: "{node}/mathjax" }} }},
  svg: {{ fontCache: "local", scale: 1, matchFontHeight: false }}, chtml: {{ matchFontHeight: false }},
  tex: {{ packages: {{ "[+]": ["mathtools"] }} }},
}};</script>
<script src="{node}/katex/dist/katex.min.js"></script>
<script src="{node}/mathjax/tex-svg.js"></script>
<table><tr><th></th>{heads}</tr>
{rows}
</table>
"""
SET = """async ([formulas, drawn]) => {
  await MathJax.startup.promise;
  for (const [number, [latex, display]] of formulas.entries()) {
    const row = document.querySelectorAll("tr.formula")[number].querySelectorAll("td > span");
    katex.render(latex, row[1], { displayMode: display, throwOnError: false, output: "html" });
    if (drawn) row[2].append(await MathJax.tex2svgPromise(latex, { display }));
  }
  await document.fonts.ready;
  return [...document.querySelectorAll("tr.formula")].map(row =>
    [...row.querySelectorAll("td > span")].map(cell => {
      const box = (cell.querySelector("math, .katex-html, svg") ?? cell).getBoundingClientRect();
      return [box.width, box.height];
    }));
}"""


def page(formulas: list[tuple[str, bool]], node: Path) -> str:
    """The page with Porism's formulas in place and room for those of the others."""
    rows = [
        f'<tr class="formula"><td class="number">{number}<td><span>'
        f"{to_mathml(parse_latex(latex), ids=False, display=display)}</span><td><span></span><td><span></span>"
        for number, (latex, display) in enumerate(formulas, 1)
    ]
    heads = "".join(f"<th>{name}</th>" for name in SETTERS)
    return PAGE.format(
        styles=STYLES.as_uri(), node=(node / "node_modules").resolve().as_uri(), heads=heads, rows="\n".join(rows)
    )


def set_all(
    browser: Any, formulas: list[tuple[str, bool]], node: Path, picture: Path | None
) -> list[list[list[float]]]:
    """Sets formulas three times, takes a picture, and gives width and height of each; MathJax only in pictures."""
    shown = browser.new_page(viewport={"width": 1700, "height": 800}, device_scale_factor=1.5)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(page(formulas, node), encoding="utf-8")
        shown.goto(file.as_uri())
        asked = [[list(formula) for formula in formulas], picture is not None]
        sizes: list[list[list[float]]] = shown.evaluate(SET, asked)
        if picture is not None:
            shown.locator("table").screenshot(path=picture)
    shown.close()
    return sizes


def drawn_from(source: Path, count: int, seed: int) -> list[tuple[str, bool]]:
    """Formulas of a collection in LaTeX at random, and whether each is on a line of its own."""
    found = dict.fromkeys(
        (formula.source, formula.display)
        for document in open_source(source) for content in document.fields.values() for formula in content.formulas
        if formula.notation == "latex" and 7 <= len(formula.source) <= 110
    )
    return random.Random(seed).sample(sorted(found), min(count, len(found)))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--node", type=Path, required=True, help="a folder with node_modules/katex and mathjax")
    parser.add_argument("--picture", type=Path, default=RESULTS / "rendering.png")
    parser.add_argument("--only", default="", help="formulas with this text alone")
    parser.add_argument("--rows", type=int, default=0, help="formulas in one picture (default: all in one)")
    parser.add_argument("--source", type=Path, help="measure formulas of this collection")
    parser.add_argument("--count", type=int, default=700, help="how many of them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=20, help="how many differences to print")
    options = parser.parse_args()
    sync_playwright, chromium = need_chromium()
    for name in ("katex", "mathjax"):
        if not (options.node / "node_modules" / name).is_dir():
            sys.exit(f"{name} is not in {options.node}/node_modules: npm install --prefix {options.node} katex mathjax")
    known = FORMULAS if options.source is None else drawn_from(options.source, options.count, options.seed)
    formulas = [formula for formula in known if options.only in formula[0]]
    step = options.rows or len(formulas) or 1
    sizes: list[list[list[float]]] = []
    options.picture.parent.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=[
            "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--allow-file-access-from-files",
        ])
        for first in range(0, len(formulas), step):
            stem = options.picture.stem + (f"-{first // step + 1}" if step < len(formulas) else "")
            picture = options.picture.with_stem(stem) if options.source is None else None
            sizes += set_all(browser, formulas[first:first + step], options.node, picture)
            if picture is not None:
                print(f"picture: {picture}")
        browser.close()
    differences = sorted(
        (
            (ours[0] / katex[0] - 1, ours[1] / katex[1] - 1, latex)
            for (latex, _), (ours, katex, *_) in zip(formulas, sizes, strict=True) if katex[0] and katex[1]
        ),
        key=lambda row: -abs(row[0]),
    )
    print("width and height beside KaTeX's")
    for width, height, latex in differences[: options.show]:
        print(f"{width:+7.1%} {height:+7.1%}  {' '.join(latex.split())}")
    middle = sorted(abs(row[0]) for row in differences)
    result = {
        "formulas": len(differences), "median_width": round(middle[len(middle) // 2], 4) if middle else None,
        "within_3_per_cent": round(sum(width <= 0.03 for width in middle) / max(1, len(middle)), 3),
    }
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
