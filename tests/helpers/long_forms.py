"""Tests that take long have a short form, or none, unless ``PORISM_LONG_TESTS`` is set, as in CI."""

from __future__ import annotations

import os

import pytest

LONG = bool(os.environ.get("PORISM_LONG_TESTS"))

LONG_ONLY = pytest.mark.skipif(not LONG, reason="takes long: set PORISM_LONG_TESTS=1")

MIN_EXAMPLES = 25

MAX_TEST_SECONDS = 120.0
"""Seconds of a process's own processor time after which a test, or a case of a table, is ended: it hangs."""


def examples(count: int) -> int:
    """How many examples of a property are tried: ``count``, or in the short form a tenth of them, at least 25."""
    return count if LONG else max(count // 10, MIN_EXAMPLES)
