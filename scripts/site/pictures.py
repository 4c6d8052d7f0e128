"""Takes the pictures of report parts that the documentation shows.

``python scripts/site/pictures.py build/demo/trees-report/report.html``, after ``make demo``. Needs
Chromium on the machine.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
PARTS = {
    "rule-violated": "article.rule.violated >> nth=0",
    "rule-not-assessed": "article.rule.not_assessed >> nth=0",
    "verdict-table": "#verdict table >> nth=0",
    "nearness": "#nearness figure >> nth=0",
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main(report: Path) -> None:
    """Write one PNG per part of the report."""
    PICTURES.mkdir(exist_ok=True)
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 900}, color_scheme="light")
        page.goto(report.resolve().as_uri())
        for name, place in PARTS.items():
            page.locator(place).screenshot(path=PICTURES / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
