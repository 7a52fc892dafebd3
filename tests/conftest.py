"""For all tests: an exception that nobody was there to catch fails the test that left it; no test is timed."""

from __future__ import annotations

import pytest
from hypothesis import settings

settings.register_profile("untimed", settings(deadline=None))
settings.load_profile("untimed")

LEFT_BEHIND = ("PytestUnhandledThreadExceptionWarning", "PytestUnraisableExceptionWarning")
"""What pytest says of an exception in a thread, and of one in a finalizer."""


def pytest_configure(config: pytest.Config) -> None:
    for name in LEFT_BEHIND:
        config.addinivalue_line("filterwarnings", f"error::pytest.{name}")
