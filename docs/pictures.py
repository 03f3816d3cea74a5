"""Makes the picture of the README from real results: ``python docs/pictures.py`` writes ``docs/static/search.svg``.

It indexes the bundled sample, asks two questions, and draws what the terminal shows.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

WIDTH = 96
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


def main() -> None:
    """Writes the picture."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    with tempfile.TemporaryDirectory() as folder:
        shown(("demo", "--index", f"{folder}/index"), folder)
        for question in QUESTIONS:
            console.print(Text("$ porism " + " ".join(map(quoted, question)), style="bold"))
            console.print(Text.from_ansi(shown(question, folder)))
            console.print()
    svg = console.export_svg(title="porism", theme=THEME, unique_id="porism")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.S)  # nothing is fetched from elsewhere
    svg = svg.replace("font-family: Fira Code, monospace", "font-family: monospace")
    target = Path(__file__).parent / "static" / "search.svg"
    target.write_text(re.sub(r"[ \t]+$", "", svg, flags=re.M).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
