"""`python -m seamline`."""

from __future__ import annotations

if __name__ == "__main__":  # worker processes import this file under another name
    from seamline.trust.search_path import leave_out_current_folder

    leave_out_current_folder()  # before anything else is imported: `python -m` put it first

    from seamline.cli.main import run

    run()
