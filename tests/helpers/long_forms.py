"""Tests that take long have two forms: a short one, and a long one where ``PORISM_LONG_TESTS`` is set, as in CI.

Those marked with ``only_long`` have the long one alone.
"""

from __future__ import annotations

import os

import pytest

LONG = bool(os.environ.get("PORISM_LONG_TESTS"))

only_long = pytest.mark.skipif(not LONG, reason="has no short form: set PORISM_LONG_TESTS=1, as CI does")
"""Marks a test whose subject itself takes long."""

FEWEST_EXAMPLES = 25


def examples(count: int) -> int:
    """How many examples of a property are tried: ``count``, or in the short form a tenth of them, at least 25."""
    return count if LONG else max(count // 10, FEWEST_EXAMPLES)
