"""Measure the page in Chromium: `python -m tests.bench.page` prints the table of docs/contributing/benchmarks.md.

It starts a playground of its own as `make run` does. Each row is one cluster: from the click to the first result on
the screen, the CPU of a frame while the timeline is scrubbed, what the tab takes of memory; then the first load.
"""

import argparse
import sys
import tempfile
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from statistics import median
from typing import Any

import psutil
from playwright.sync_api import CDPSession, Page, sync_playwright

from tests.bench.frames import scrub
from tests.browser.conftest import SEEN, Driver
from tests.services import CHROMIUM_FLAGS, run_playground
from tools import chromium

SIZES = ((12, 100), (100, 1000), (1523, 8152), (5000, 50_000))
PENDING = 200  # pods that are left to be scheduled, one a click
CLICKS = 40
CHUNK = 5000  # objects a command
IMPORT_SECONDS = 600

# From the pointer going down to the frame after the new cycle's name is in the page.
CLICK = """async () => {
  const title = document.querySelector('#cycle-title');
  const button = document.querySelector('[data-bench=cycle]');
  const before = title.textContent;
  return new Promise((done) => {
    const start = performance.now();
    new MutationObserver((_changes, observer) => {
      if (document.querySelector('#cycle-title').textContent === before) return;
      observer.disconnect();
      requestAnimationFrame(() => { const channel = new MessageChannel();
        channel.port1.onmessage = () => done(performance.now() - start); channel.port2.postMessage(0); });
    }).observe(document.querySelector('#app'), {subtree: true, childList: true, characterData: true});
    button.click();
  });
}"""

SCRIPTS = """() => {
  const all = performance.getEntriesByType('resource').filter((one) => /\\.js|jsi18n/.test(one.name));
  return [all.length, all.reduce((sum, one) => sum + one.encodedBodySize, 0)];
}"""


@dataclass
class Row:
    """The measurements of one size of cluster, in milliseconds and MiB."""

    nodes: int
    pods: int
    clicks: list[float]
    frames: list[float]
    heap: float
    resident: float
    weight: tuple[int, int]  # files and compressed bytes of script before anything is opened

    def line(self) -> str:
        return (
            f"| {self.nodes:,} | {self.pods:,} | {median(self.clicks):.0f} | {_p95(self.clicks):.0f} "
            f"| {median(self.frames):.1f} | {_p95(self.frames):.1f} | {self.heap:.0f} | {self.resident:.0f} |"
        )


def _p95(values: list[float]) -> float:
    return sorted(values)[ceil(len(values) * 0.95) - 1]


def _node(i: int) -> dict[str, Any]:
    labels = {"topology.kubernetes.io/zone": f"zone-{'abc'[i % 3]}", "kubernetes.io/hostname": f"node-{i:04d}"}
    amounts = {"cpu": "32", "memory": "128Gi", "pods": "110"} | ({"nvidia.com/gpu": "8"} if i % 10 == 9 else {})
    metadata = {"name": f"node-{i:04d}", "labels": labels}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": {"allocatable": amounts}}


def _pod(i: int, node: str | None) -> dict[str, Any]:
    requests = {"cpu": f"{250 * (1 + i % 8)}m", "memory": f"{512 * (1 + i % 5)}Mi"}
    spec = {"containers": [{"name": "app", "resources": {"requests": requests}}]} | ({"nodeName": node} if node else {})
    metadata = {"name": f"pod-{i:05d}", "namespace": "default"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def manifests(nodes: int, pods: int) -> list[dict[str, Any]]:
    """Return Nodes in three zones, every tenth with GPUs, and Pods in 40 sizes, all but the last 200 bound."""
    bound = max(0, pods - PENDING)
    placed = [_pod(i, f"node-{i * 7 % nodes:04d}" if i < bound else None) for i in range(pods)]
    return [*(_node(i) for i in range(nodes)), *placed]


def make(driver: Driver, nodes: int, pods: int) -> int:
    """Create a cluster of that size; return its number."""
    cluster = driver.create(None, f"{nodes} nodes")
    objects = manifests(nodes, pods)
    for first in range(0, len(objects), CHUNK):
        command = {"kind": "create", "objects": objects[first : first + CHUNK]}
        number = driver.post(f"clusters/{cluster}/commands/", command)["number"]
        for _ in range(IMPORT_SECONDS * 4):
            state = driver.get(f"clusters/{cluster}/commands/{number}/")
            if state["state"] == "done":
                break
            if state["state"] == "failed":
                raise SystemExit(f"the objects were refused: {state['problems'][:3]}")
            driver.page.wait_for_timeout(250)
    return cluster


def _resident() -> float:
    """Return the MiB that only the largest renderer uses."""
    renderers = [one for one in psutil.Process().children(recursive=True) if "--type=renderer" in one.cmdline()]
    return max(one.memory_full_info().uss for one in renderers) / 2**20


def _heap(session: CDPSession) -> float:
    session.send("HeapProfiler.collectGarbage")
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return float(metrics["JSHeapUsedSize"]) / 2**20


def measure(page: Page, url: str, nodes: int, pods: int, clicks: int = CLICKS, cluster: int | None = None) -> Row:
    """Create a cluster (or use the existing one), open it, and measure."""
    found = cluster or make(Driver(page, url), nodes, pods)
    page.goto(f"{url}/?cluster={found}")
    page.get_by_role("button", name="Play").wait_for()
    page.wait_for_timeout(1500)
    files, size = page.evaluate(SCRIPTS)
    page.locator(".transport button[title^='One cycle forward']").evaluate(
        "(button) => (button.dataset.bench = 'cycle')"
    )
    times = []
    for _ in range(clicks):
        page.wait_for_function("!document.querySelector('[data-bench=cycle]').disabled")
        # As a person clicks: what the last cycle set off has come to rest.
        page.wait_for_timeout(600)
        times.append(float(page.evaluate(CLICK)))
    last = int(page.locator("#cycle-title").inner_text().split()[-1].replace(",", ""))
    frames = scrub(page, max(1, last - 29), last)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    row = Row(nodes, pods, times, frames, _heap(session), _resident(), (files, size))
    session.detach()
    return row


def table(rows: list[Row], weight: tuple[int, int]) -> str:
    """Return the rows and the size of a first load, as Markdown."""
    head = [
        "| nodes | pods | click → result, p50 ms | p95 ms | scrub frame, p50 ms | p95 ms | JS heap, MiB | tab, MiB |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    files, size = weight
    return "\n".join(
        [
            *head,
            *(row.line() for row in rows),
            "",
            f"First load: {size / 1000:.0f} kB of compressed script in {files} files.",
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.page", description=__doc__)
    parser.add_argument("--nodes", type=int, action="append", help="only this size; may be repeated")
    parser.add_argument("--clicks", type=int, default=CLICKS)
    arguments = parser.parse_args()
    executable = chromium.find()
    if not executable:
        sys.exit(chromium.HELP)
    rows = []
    weight: tuple[int, int] | None = None
    with (
        tempfile.TemporaryDirectory(prefix="playground-bench-") as folder,
        sync_playwright() as playwright,
        run_playground(Path(folder) / "data") as playground,
    ):
        browser = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)
        for nodes, pods in SIZES:
            if arguments.nodes and nodes not in arguments.nodes:
                continue
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.add_init_script(SEEN)
            rows.append(measure(page, playground.url, nodes, pods, arguments.clicks))
            weight = weight or rows[-1].weight
            print(rows[-1].line(), file=sys.stderr)
            page.close()
        browser.close()
    print(table(rows, weight or (0, 0)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
