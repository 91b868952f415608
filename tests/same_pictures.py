"""Compare every view with an earlier version: `python -m tests.same_pictures BEFORE`, another checkout of the project.

Both trees show the same stored clusters: twelve views of `tests.pictures` in five widths. Differences are listed, with
both pictures and the difference in test-results/pictures. Carets and measured times aren't drawn.
"""

import argparse
import base64
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tests.browser.conftest import SEEN, Driver
from tests.browser.driver import Answers, outlast
from tests.pictures import PIXELS, VIEWS, png, prepare
from tests.services import CHROMIUM_FLAGS, ROOT, run_playground
from tools import chromium

SIZES: list[ViewportSize] = [
    {"width": 1440, "height": 900},
    {"width": 1024, "height": 768},
    {"width": 768, "height": 1024},
    {"width": 390, "height": 844},
    {"width": 320, "height": 640},
]
# Scrolling through 1,523 nodes is measured by the bench; here it would only take long.
LEFT_OUT = "large"
# Chromium draws a rounded corner by up to 8 of 255 otherwise from one run to the next.
NOISE = 8
PAUSE = 700  # ms: the longest that the page waits before it asks
# How long a search took, how many decisions there were in a second: the time that the machine needed.
WITHOUT_MEASURED = r"""() => {
  for (const row of document.querySelectorAll('dialog tr')) if (/per second/.test(row.textContent)) row.remove();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replace(/\d[\d.,]* (ms|µs|s)\b/g, '0 s');
}"""
SHOWN = [view for view in VIEWS if view[0] != LEFT_OUT]
Clusters = dict[tuple[str, int], int]
Shots = dict[str, str]


def fill(data: Path, tree: Path, browser: Browser) -> Clusters:
    """Let the tree create the clusters of all views."""
    with run_playground(data, tree=tree) as playground:
        page = browser.new_page()
        driver = Driver(page, playground.url)
        made = {key: prepare(driver, *key) for key in {(example, cycles) for _, example, cycles, *_ in SHOWN}}
        page.close()
    return made


def pictures(data: Path, tree: Path, browser: Browser, clusters: Clusters) -> Shots:
    """Return the tree's pictures of the clusters in `data`: {"main-1440": PNG as base64}."""
    with run_playground(data, tree=tree) as playground:
        return dict(_taken(playground.url, browser, clusters))


def _taken(url: str, browser: Browser, clusters: Clusters) -> Iterator[tuple[str, str]]:
    for size in SIZES:
        context = browser.new_context(viewport=size, color_scheme="light", reduced_motion="reduce")
        context.add_init_script(SEEN)
        page = context.new_page()
        answers = Answers(page)
        for name, example, cycles, rest, panel, act in SHOWN:
            page.goto(f"{url}/?cluster={clusters[example, cycles]}{rest}")
            page.get_by_role("button", name="Play").wait_for()
            answers.settle()
            tab = page.get_by_role("tab", name=panel, exact=True)
            if tab.is_visible():
                tab.click()
            answers.settle()
            act(page)
            outlast(page, PAUSE)
            answers.settle()
            page.evaluate(WITHOUT_MEASURED)
            answers.settle()
            yield f"{name}-{size['width']}", base64.b64encode(page.screenshot(animations="disabled")).decode()
        context.close()


def different(decoder: Page, before: str, now: str) -> np.ndarray:
    """Return the differing pixels, as [height, width] of booleans; all of them if the sizes differ."""
    (width, height, was), (wide, high, is_now) = decoder.evaluate(PIXELS, before), decoder.evaluate(PIXELS, now)
    if (width, height) != (wide, high):
        return np.ones((high, wide), bool)
    first, second = (np.frombuffer(base64.b64decode(one), np.uint8).reshape(height, width, 4) for one in (was, is_now))
    return np.abs(first.astype(int) - second).max(axis=2) > NOISE


def where(pixels: np.ndarray) -> str:
    rows, columns = np.nonzero(pixels)
    return f"{len(rows)} pixels within {columns.min()},{rows.min()} to {columns.max()},{rows.max()}"


def keep(folder: Path, name: str, before: str, now: str, pixels: np.ndarray) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for which, shot in (("before", before), ("now", now)):
        (folder / f"{name}-{which}.png").write_bytes(base64.b64decode(shot))
    height, width = pixels.shape
    shown = np.full((height, width, 4), 255, np.uint8)
    shown[pixels] = (255, 0, 0, 255)
    (folder / f"{name}-difference.png").write_bytes(png(width, height, shown.tobytes()))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.same_pictures", description=__doc__)
    parser.add_argument("before", type=Path, help="a checkout of the project")
    parser.add_argument("now", type=Path, nargs="?", default=ROOT, help="another one; this one, if left out")
    given = parser.parse_args()
    before, after = given.before.resolve(), given.now.resolve()
    executable = chromium.find()
    if not executable:
        sys.exit(chromium.HELP)
    with tempfile.TemporaryDirectory(prefix="playground-pictures-") as name, sync_playwright() as playwright:
        browser, folder = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS), Path(name)
        clusters = fill(folder / "data", before, browser)
        shutil.copytree(folder / "data", folder / "copy")
        was = pictures(folder / "data", before, browser, clusters)
        now = pictures(folder / "copy", after, browser, clusters)
        decoder, differing = browser.new_page(), 0
        for name, shot in was.items():
            pixels = different(decoder, shot, now[name])
            if pixels.any():
                differing += 1
                print(f"{name}: {where(pixels)}")
                keep(ROOT / "test-results" / "pictures", name, shot, now[name], pixels)
        browser.close()
    print(f"{len(was)} pictures of {len(SHOWN)} views in {len(SIZES)} widths: {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
