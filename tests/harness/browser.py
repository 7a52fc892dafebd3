"""A real Chromium by Playwright. Without one, tests that need it are skipped; in CI, which installs one, they fail."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextmanager
def running_browser() -> Iterator[Any]:
    """A browser, closed at the end."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs `pip install 'seamline[dev]'`")
    if CHROMIUM is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("there is no Chromium: install it with the system")
    with playwright.sync_playwright() as running:
        launched = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()
