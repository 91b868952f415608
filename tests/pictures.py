"""Take the pictures of docs/images: `python -m tests.pictures`, two minutes on an idle machine.

Each view in light and dark, on a desktop (1440×900) and a phone (390×844), of a new playground. They have few colors,
so they are stored with a palette, a third of the size.
"""

import argparse
import base64
import copy
import struct
import sys
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tests.bench.page import manifests
from tests.browser.conftest import SEEN, Driver
from tests.browser.driver import Answers
from tests.core.controllers.chaos import workload
from tests.services import CHROMIUM_FLAGS, run_playground, wait_for
from tests.terminal_picture import take_terminal
from tests.web import node
from tools import chromium

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
DEVICES: dict[str, ViewportSize] = {"desktop": {"width": 1440, "height": 900}, "phone": {"width": 390, "height": 844}}
THEMES = ("light", "dark")
COLOURS = 256
ROLLOUT = "rollout"  # an example of its own
TERMINAL = "terminal"  # beside the page: a picture of its own kind, for a desktop

PIXELS = """async (png) => {
  const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,' + png)).blob());
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const pen = canvas.getContext('2d');
  pen.drawImage(bitmap, 0, 0);
  const { data } = pen.getImageData(0, 0, bitmap.width, bitmap.height);
  let text = '';
  for (let i = 0; i < data.length; i += 32768) text += String.fromCharCode(...data.subarray(i, i + 32768));
  return [bitmap.width, bitmap.height, btoa(text)];
}"""


def none(page: Page) -> None:
    """The address alone shows it."""


def click(role: str) -> Callable[[Page], None]:
    return lambda page: page.get_by_role("button", name=role, exact=True).click()


def compare(page: Page) -> None:
    page.keyboard.press("d")
    page.get_by_role("dialog").get_by_role("button", name="Compare", exact=True).click()
    page.get_by_text("Pods on a different node").first.wait_for(timeout=60_000)


def complete(page: Page) -> None:
    page.get_by_role("button", name="complete", exact=True).click()
    page.locator("[data-complete] [data-ran=false]").first.wait_for()


def repairs(page: Page) -> None:
    page.get_by_role("button", name="What would make it fit?", exact=True).click()
    page.locator("[data-repairs=there]").wait_for(timeout=60_000)
    page.locator(".make-it-fit").scroll_into_view_if_needed()


def key(name: str) -> Callable[[Page], None]:
    return lambda page: page.keyboard.press(name)


def rollout(page: Page) -> None:
    page.locator(".workload > summary").click()
    page.get_by_role("button", name="Enlarge", exact=True).click()
    page.get_by_role("dialog").locator(".rollout-legend").wait_for()


def explained(page: Page) -> None:
    """Wait for the reasons of the whole attempt, which are requested after a pause; those of steps come first."""
    if page.locator(".reasons:visible").count():
        page.locator(".reasons.tree").wait_for()


# name, example (or so many nodes, or a rollout), cycles, the rest of the address, the panel on a phone, what is done
VIEWS: list[tuple[str, str, int, str, str, Callable[[Page], None]]] = [
    ("main", "three-zones", 4, "", "Cluster", none),
    ("why-not", "three-zones", 7, "&view=why", "Details", none),
    ("repair", "three-zones", 7, "&view=why", "Details", repairs),
    ("scores", "three-zones", 4, "&view=scores", "Details", none),
    ("spread", "three-zones", 7, "&view=spread", "Details", none),
    ("preemption", "nearly-full", 4, "&view=preemption", "Details", none),
    ("queues", "nearly-full", 4, "&view=pod", "Queues", none),
    ("time", "three-zones", 7, "&view=time", "Details", click("all attempts")),
    ("profile", "three-zones", 4, "&view=profile", "Details", none),
    ("new-object", "gpu-pool", 1, "", "Cluster", key("n")),
    ("compare", "three-zones", 4, "", "Cluster", compare),
    ("large", "1523", 20, "", "Cluster", none),
    ("rollout", ROLLOUT, 16, "", "Queues", rollout),
    # The last one: the page remembers this switch.
    ("matrix", "three-zones", 4, "&view=why", "Matrix", complete),
]


def rolling_out() -> list[dict[str, Any]]:
    """Return the changes that replace eight Pods, each as soon as the rollout's bounds permit."""
    bounds = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 2, "maxUnavailable": 1}}
    web = workload("Deployment", "web", replicas=8, strategy=bounds)
    web["spec"]["template"]["metadata"]["annotations"] = {"playground.kube-scheduler/start-seconds": "4..14"}
    again = copy.deepcopy(web)
    again["spec"]["template"]["metadata"]["labels"]["version"] = "v2"
    return [
        {"kind": "create", "objects": [*(node(name) for name in "abc"), web]},
        {"kind": "set_actors", "actors": "all"},
        {"kind": "run", "until": {"seconds": 40}},
        {"kind": "update", "objects": [again]},
    ]


def prepare(driver: Driver, example: str, cycles: int) -> int:
    """Create a cluster and run so many cycles."""
    if example == ROLLOUT:
        cluster, commands = driver.create(None, "shop"), rolling_out()
    elif example.isdigit():
        cluster = driver.create(None, "production")
        commands = [{"kind": "create", "objects": manifests(int(example), 3000)}]
    else:
        cluster, commands = driver.create(example, "demo"), []
    for command in (*commands, {"kind": "run", "until": {"cycles": cycles}}):
        driver.post(f"clusters/{cluster}/commands/", command)

    def is_there() -> bool:
        state = driver.get(f"clusters/{cluster}/")
        return bool(state["cycle"] >= cycles and state["state"] == "idle")

    wait_for(is_there, f"{cycles} cycles of {example}")
    return cluster


def palette(pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return 256 colors, the most frequent ones of each kind first, and for each pixel the nearest of them."""
    packed = pixels.astype(np.int64) @ np.array([1 << 16, 1 << 8, 1])
    found, where, counts = np.unique(packed, return_inverse=True, return_counts=True)
    rgb = np.stack([found >> 16, (found >> 8) & 255, found & 255], axis=1)
    # First one colour of each kind, so that a small mark keeps its own; then the rest.
    order = np.argsort(-counts, kind="stable")
    _, firsts = np.unique((rgb[order] >> 5) @ np.array([64, 8, 1]), return_index=True)
    kept = order[np.concatenate([np.sort(firsts), np.setdiff1d(np.arange(len(order)), firsts)])][:COLOURS]
    nearest = np.empty(len(found), np.uint8)
    for first in range(0, len(found), 1000):
        part = rgb[first : first + 1000, None, :] - rgb[kept][None, :, :]
        nearest[first : first + 1000] = (part * part).sum(axis=2).argmin(axis=1)
    return rgb[kept].astype(np.uint8), nearest[where.reshape(-1)]


def png(width: int, height: int, rgba: bytes) -> bytes:
    colours, indexes = palette(np.frombuffer(rgba, np.uint8).reshape(-1, 4)[:, :3])
    rows = np.zeros((height, width + 1), np.uint8)  # a filter byte of 0 before each row
    rows[:, 1:] = indexes.reshape(height, width)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"PLTE", colours.tobytes()) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 9))
    return b"\x89PNG\r\n\x1a\n" + body + chunk(b"IEND", b"")


def take(browser: Browser, url: str, wanted: list[str]) -> None:
    clusters: dict[tuple[str, int], int] = {}
    # A page that the policy of no site binds turns screenshots into pixels.
    decoder = browser.new_page()
    for device, size in DEVICES.items():
        for theme in THEMES:
            context = browser.new_context(
                viewport=size, color_scheme="dark" if theme == "dark" else "light", reduced_motion="reduce"
            )
            context.add_init_script(SEEN)
            page = context.new_page()
            answers = Answers(page)
            driver = Driver(page, url)
            for name, example, cycles, rest, panel, act in VIEWS:
                if wanted and name not in wanted:
                    continue
                if (example, cycles) not in clusters:
                    clusters[example, cycles] = prepare(driver, example, cycles)
                page.goto(f"{url}/?cluster={clusters[example, cycles]}{rest}")
                page.get_by_role("button", name="Play").wait_for()
                if device == "phone":
                    page.get_by_role("tab", name=panel, exact=True).click()
                answers.settle()
                act(page)
                explained(page)
                answers.settle()
                shot = base64.b64encode(page.screenshot()).decode()
                store(decoder, f"{name}-{theme}-{device}.png", shot)
            context.close()
            if device == "desktop" and (not wanted or TERMINAL in wanted):
                shot = base64.b64encode(take_terminal(browser, url, theme)).decode()
                store(decoder, f"{TERMINAL}-{theme}-{device}.png", shot)


def store(decoder: Page, name: str, shot: str) -> None:
    width, height, data = decoder.evaluate(PIXELS, shot)
    path = IMAGES / name
    path.write_bytes(png(width, height, base64.b64decode(data)))
    print(f"{name}: {path.stat().st_size // 1000} kB", file=sys.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.pictures", description=__doc__)
    names = [*(view[0] for view in VIEWS), TERMINAL]
    parser.add_argument("view", nargs="*", help=f"only these of: {', '.join(names)}")
    wanted = parser.parse_args().view
    if unknown := set(wanted) - set(names):
        parser.error(f"no such view: {', '.join(sorted(unknown))}")
    executable = chromium.find()
    if not executable:
        sys.exit(chromium.HELP)
    with (
        tempfile.TemporaryDirectory(prefix="playground-pictures-") as folder,
        sync_playwright() as playwright,
        run_playground(Path(folder) / "data") as playground,
    ):
        browser = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)
        take(browser, playground.url, wanted)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
