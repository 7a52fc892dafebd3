"""`python -m seamline`."""

from __future__ import annotations

from seamline.cli.main import run

if __name__ == "__main__":  # worker processes import this file under another name
    run()
