"""Pictures of the inspector: runs `seamline inspect --web` over the example handbook, and takes them in Chromium.

python docs/pictures/inspector.py docs/pictures
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"
COMMAND = [sys.executable, "-m", "seamline"]
SIZE = {"width": 1280, "height": 800}
REPORT = """\
<h1>Yearly report of the depots</h1>
<p>Four depots sent more parcels than in any year before. Two of them will move to larger halls in autumn.</p>
<h2>Harbour</h2>
<p>The harbour crane lifts forty tonnes and is inspected every spring. It stood still for nine days after the storm of
February, and ships were unloaded by hand.</p>
<p>A second crane is ordered. Until it comes, heavy freight is sent by rail.</p>
<h2>Airport</h2>
<p>Night flights ended in June. Express parcels now leave at six in the morning, one hour later than before.</p>
<table border="1" cellpadding="6"><tr><th>Depot</th><th>Parcels</th><th>Late</th></tr>
<tr><td>Harbour</td><td>412,000</td><td>3.1%</td></tr><tr><td>Airport</td><td>298,000</td><td>1.8%</td></tr>
<tr><td>North</td><td>171,000</td><td>0.9%</td></tr></table>
"""


def write_report(browser: Browser, path: Path) -> None:
    """A PDF of one page."""
    page = browser.new_page()
    page.set_content(f"<style>body {{ font: 15px/1.5 serif; margin: 60px; }}</style>{REPORT}")
    page.pdf(path=path)
    page.close()


def open_page(browser: Browser, scheme: str, address: str) -> Page:
    page = browser.new_context(color_scheme=scheme, viewport=SIZE).new_page()
    page.goto(address)
    page.wait_for_load_state("networkidle")
    return page


def show_chunks(page: Page) -> None:
    """A chunk with overlap, and the hint of a gap."""
    while not page.locator(".chunk.selected .role-overlap").count():
        page.keyboard.press("j")
        page.wait_for_timeout(50)
    page.locator(".chunk.selected .gap").last.hover()


def show_citation(page: Page) -> None:
    page.get_by_role("button", name="Citation on its page").first.click()
    page.locator(".sheet .box").first.wait_for()


def save(page: Page, path: Path) -> None:
    """As a PNG of 256 colours."""
    page.wait_for_timeout(300)
    taken = Image.open(BytesIO(page.screenshot())).convert("RGB")
    taken.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


def main(target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        executable = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        shutil.copytree(HANDBOOK, Path(folder) / "handbook")
        write_report(browser, Path(folder) / "handbook" / "report.pdf")
        subprocess.run([*COMMAND, "index", "handbook"], cwd=folder, check=True, capture_output=True)
        server = [*COMMAND, "inspect", "--web", "handbook/webhooks.md"]
        with subprocess.Popen(server, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            found = re.search(r"http://\S+/", process.stderr.readline())
            assert found is not None
            page = open_page(browser, "light", f"{found[0]}?a.limit=120&a.overlap=sentences&a.overlap_tokens=40")
            show_chunks(page)
            save(page, target / "inspector-chunks.png")
            page = open_page(browser, "dark", f"{found[0]}?view=search&query=inspection+of+the+harbour+crane")
            show_citation(page)
            save(page, target / "inspector-search.png")
            process.terminate()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
