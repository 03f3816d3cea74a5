"""Benchmarks of Porism, in groups: ``python -m benchmarks`` lists them."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).resolve().parent
"""The folder of the benchmarks; results and indexes go below it unless a command is given other folders."""

ROOT = HERE.parent
"""The folder of the project."""
