"""The browser of benchmarks that look at pages."""

from __future__ import annotations

import shutil
import sys
from typing import Any


def need_chromium() -> tuple[Any, str]:
    """Playwright's entry and the path of Chromium; ends with what is missing."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        sys.exit("playwright is not installed: pip install 'porism[web-test]'")
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        sys.exit("Chromium is not installed, e.g. apt-get install chromium")
    return sync_playwright, path
