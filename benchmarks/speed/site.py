"""How large the search of a static site is, what a question loads, and how long it takes in a browser.

::

    python -m benchmarks speed site --index planetmath.index --questions 40

Exports an index (``porism export static``), serves the folder, and asks questions in Chromium: titles of units, and
titles with a formula of their text. Of each question the requests and bytes are counted in a page that has loaded
nothing, and in one that is asked all questions. Times are what the page itself measures from the question to the
results, without a network. It needs playwright (``pip install 'porism[web-test]'``) and Chromium.
"""

from __future__ import annotations

import argparse
import gzip
import random
import statistics
import sys
import tempfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

from benchmarks.chromium import need_chromium
from benchmarks.speed.update import processor_seconds
from porism.analysis.documents import load_document
from porism.index import Snapshot
from porism.serve.site.exporting import export_site
from porism.types import Content

SEARCH = (
    "text => { const start = performance.now(); return porismSearch.search(text, 10)"
    ".then(({hits}) => [performance.now() - start, hits.length]); }"
)


class SilentHandler(SimpleHTTPRequestHandler):
    """Serves a folder without a log."""

    def log_message(self, *args: Any) -> None:
        return


class Asked(NamedTuple):
    """What a question took: milliseconds, requests, bytes, results."""

    milliseconds: float
    requests: int
    size: int
    hits: int


def questions(index: Path, count: int, seed: int) -> list[str]:
    """Titles of units (or how they begin), every second one with a short formula of its text."""
    chance = random.Random(seed)
    asked: list[str] = []
    with Snapshot.open(index) as snapshot:
        places = [(segment, number) for segment in snapshot.segments for number in range(segment.doc_count)]
        chance.shuffle(places)
        for segment, number in places:
            if len(asked) == count:
                break
            fields = load_document(segment.stored(number)).fields
            named = next((fields[name] for name in ("title", "body", *fields) if name in fields), Content(""))
            title = named.text.replace("\ufffc", " ").strip()
            short = [
                formula.source for content in fields.values() for formula in content.formulas
                if formula.notation == "latex" and 3 < len(formula.source) < 40
            ]
            if title and (len(asked) % 2 == 0 or short):
                asked.append(" ".join(title.split()[:6]) + (f" ${short[0]}$" if len(asked) % 2 else ""))
    return asked


def ask(browser: Any, url: str, texts: list[str], sizes: dict[str, int], *, again: bool) -> list[Asked]:
    """Asks each question, in a new page with nothing loaded, or all in one page."""
    results: list[Asked] = []
    page = None
    for text in texts:
        if page is None or not again:
            page = browser.new_page()
            page.goto(url)
            page.wait_for_function("window.porismSearch !== undefined")
        loaded: list[str] = []
        page.on("request", lambda request, loaded=loaded: loaded.append(request.url.rpartition("/")[2]))
        milliseconds, hits = page.evaluate(SEARCH, text)
        results.append(Asked(milliseconds, len(loaded), sum(sizes.get(name, 0) for name in loaded), hits))
        if not again:
            page.close()
    return results


def show(name: str, results: list[Asked]) -> None:
    times = sorted(result.milliseconds for result in results)
    slow = times[min(len(times) - 1, int(len(times) * 0.95))]
    print(
        f"{name:<24} {statistics.median(times):7.1f} ms median {slow:8.1f} ms 95 %   "
        f"{statistics.mean(result.requests for result in results):5.1f} requests "
        f"{statistics.mean(result.size for result in results) / 1000:7.1f} kB (gzip)   "
        f"{sum(result.hits > 0 for result in results)} of {len(results)} with results"
    )


def main() -> int:
    """Exports, measures sizes, and asks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    sync_playwright, chromium = need_chromium()
    with tempfile.TemporaryDirectory(prefix="porism-site-") as name:
        folder = Path(name) / "search"
        started = processor_seconds()
        report = export_site(given.index, folder)
        seconds = processor_seconds() - started
        sizes = {path.name: len(gzip.compress(path.read_bytes(), 6)) for path in folder.iterdir()}
        packed = sum(sizes.values())
        first = sum(size for file, size in sizes.items() if not file.startswith(("part-terms", "part-units")))
        print(
            f"export: {report.units:,} units in {seconds:.1f} s of the processor; {report.files:,} files, "
            f"{report.size / 1e6:.2f} MB, packed {packed / 1e6:.2f} MB; "
            f"script and manifest packed {first / 1000:.0f} kB", flush=True,
        )
        texts = questions(given.index, given.questions, given.seed)
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SilentHandler, directory=str(folder)))
        Thread(target=server.serve_forever, daemon=True).start()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            url = f"http://127.0.0.1:{server.server_port}/example.html"
            show("first question of a page", ask(browser, url, texts, sizes, again=False))
            show("one page, all questions", ask(browser, url, texts, sizes, again=True))
            browser.close()
        server.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
