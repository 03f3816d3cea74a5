"""The bundled sample: short entries of undergraduate mathematics, queries over them, and judgments.

``ENTRIES`` holds one JSON object a line: ``id``, ``type`` (theorem, identity, definition, question-and-answer, example
or remark), ``title``, ``body``, ``tags``, and ``question`` where the body is an answer. Formulas are between LaTeX's
delimiters. ``QUERIES`` has ``id`` and ``query`` a line. ``QRELS`` judges entries in TREC's format with gains from 3
(answers the query) over 2 (relevant) and 1 (related) to 0 (not relevant, though it may look so).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

__all__ = ["DEMO_QUESTIONS", "ENTRIES", "QRELS", "QUERIES", "entries_path", "sample_path"]


def sample_path(name: str) -> Path:
    """The path of a file of the sample, e.g. ``entries.jsonl``, in an installed package.

    Raises FileNotFoundError where the sample has no file of this name.
    """
    path = Path(str(files(__name__).joinpath(name)))
    if not path.is_file():
        raise FileNotFoundError(f"the bundled sample has no file {name!r} (looked for {path})")
    return path


@contextmanager
def entries_path() -> Iterator[Path]:
    """The path of the entries while the block runs; a temporary copy where the package is run from an archive."""
    with as_file(files(__name__).joinpath("entries.jsonl")) as path:
        yield path


_FOLDER = Path(str(files(__name__)))
ENTRIES: Path = _FOLDER / "entries.jsonl"
QUERIES: Path = _FOLDER / "queries.jsonl"
QRELS: Path = _FOLDER / "qrels.txt"

DEMO_QUESTIONS: tuple[str, ...] = (
    r"why does $\sum 1/n^2$ converge to $\pi^2/6$?",
    r"$\left(\int_a^b f g\,dt\right)^2 \le \int_a^b f^2\,dt \int_a^b g^2\,dt$",
    r"sum of squares of binomial coefficients $\sum_{i=0}^m \binom{m}{i}^2$",
    r"solve $\ddot x + k^2 x = 0$",
    "how many people until two share a birthday",
)
"""Questions for a first look: words alone, formulas alone and both, with other letters than the entries have."""
