"""Benchmarks of Porism, in groups: ``python -m benchmarks`` lists them."""

from __future__ import annotations

import os
from pathlib import Path

HERE = Path(__file__).resolve().parent
"""The folder of the benchmarks."""

ROOT = HERE.parent
"""The folder of the project."""

OUTPUT = Path(os.environ.get("PORISM_BENCHMARKS") or HERE).resolve()
"""Where results and indexes go unless a command names other folders."""

RESULTS = OUTPUT / "results"
WORK = OUTPUT / "work"
