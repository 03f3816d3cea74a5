"""Makes the pictures of the README from real results: ``python docs/pictures.py`` writes them to ``docs/static/``.

It indexes the bundled sample, asks two questions, and draws what the terminal shows (``search.svg``). Then it serves
the index and takes pictures of two pages in Chromium (``web-results.png``, ``web-formulas.png``), which needs
``pip install 'porism[web-test]'``, Chromium and the fonts Liberation.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

STATIC = Path(__file__).parent / "static"
WIDTH = 96
PORT = 8457
PAGES = (
    ("web-results.png", 800, "light",
     {"q": r"sum of squares $\sum_{i=1}^n i^2$ and $\frac{n(n+1)}{2}$", "mode": "documents"}),
    ("web-formulas.png", 640, "dark", {"q": "$?a^2+?b^2=?c^2$", "mode": "formulas"}),
)
QUESTIONS = (
    ("search", r"why does $\sum 1/n^2$ converge to $\pi^2/6$?", "-k", "2"),
    ("search", "--formulas", r"$1+\frac1x$", "-k", "2"),
)
COLOURS = [(190, 50, 40), (20, 120, 50), (150, 100, 0), (30, 90, 180), (140, 50, 150), (0, 115, 130)]
THEME = TerminalTheme(
    (250, 250, 250), (40, 44, 52), [(40, 44, 52), *COLOURS, (90, 95, 105)], [(110, 115, 125), *COLOURS, (20, 22, 26)]
)


def shown(arguments: tuple[str, ...], folder: str) -> str:
    """What a command prints on a terminal of 96 columns, with its colours."""
    environment = {**os.environ, "COLUMNS": str(WIDTH), "PORISM_INDEX": f"{folder}/index", "XDG_STATE_HOME": folder}
    done = subprocess.run(
        [sys.executable, "-m", "porism", *arguments, *(("--color", "always") if arguments[0] == "search" else ())],
        env=environment, capture_output=True, text=True, check=True,
    )
    return done.stdout.strip("\n")


def quoted(argument: str) -> str:
    """An argument as it is typed in a shell."""
    return f"'{argument}'" if re.search(r"[\s$\\]", argument) else argument


def web_pictures(folder: str) -> None:
    """Pictures of two pages of a served index."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "porism", "serve", "--index", f"{folder}/index", "--port", str(PORT)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for_server()
        with sync_playwright() as started:
            browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            for name, height, scheme, question in PAGES:
                page = browser.new_page(viewport={"width": 1280, "height": height}, color_scheme=scheme)
                for _ in range(2):  # the second time the answer comes from memory
                    page.goto(f"http://localhost:{PORT}/search?{urlencode(question)}", wait_until="networkidle")
                if question["mode"] == "formulas":
                    page.locator(".why-details summary").first.click()
                    page.wait_for_timeout(500)
                page.screenshot(path=STATIC / name)
            browser.close()
    finally:
        server.terminate()
        server.wait()


def _wait_for_server() -> None:
    for _ in range(120):
        try:
            with urlopen(f"http://localhost:{PORT}/api/v1/health", timeout=5):
                return
        except URLError:
            time.sleep(0.5)
    sys.exit("the server does not start")


def main() -> None:
    """Writes the pictures."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    with tempfile.TemporaryDirectory() as folder:
        shown(("demo", "--index", f"{folder}/index"), folder)
        for question in QUESTIONS:
            console.print(Text("$ porism " + " ".join(map(quoted, question)), style="bold"))
            console.print(Text.from_ansi(shown(question, folder)))
            console.print()
        web_pictures(folder)
    svg = console.export_svg(title="porism", theme=THEME, unique_id="porism")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.S)  # nothing is fetched from elsewhere
    svg = svg.replace("font-family: Fira Code, monospace", "font-family: monospace")
    target = STATIC / "search.svg"
    target.write_text(re.sub(r"[ \t]+$", "", svg, flags=re.M).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
