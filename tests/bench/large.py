"""`python -m tests.bench.large`: one import of very many pods, or of a trace, and its exports, in a real playground.

For each step the seconds, and the most memory that the web process, the worker and the processes apart have had.
"""

import argparse
import gzip
import http.client
import json
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

# Quiet, and with the settings that tests have.
import tests.conftest  # noqa: F401
from playground import limits
from simulator.cli.input.trace_files import DEFAULT_FOLDER
from tests.security.test_memory import BOUNDARY, FORM, Client, forget_peak, peak
from tests.services import Playground, run_playground, wait_for
from tests.web import node, pod

PATIENCE_SECONDS = 900
LOOK_SECONDS = 0.05
HEAD = [
    "| step | s | MiB sent or read | web MiB | worker MiB | apart MiB |",
    "| --- | ---: | ---: | ---: | ---: | ---: |",
]
MIB = 1 << 20


@dataclass
class Step:
    """A measured step. `web`, `worker`, `apart`: the peak memory in bytes."""

    name: str
    seconds: float = 0.0
    size: int = 0
    web: int = 0
    worker: int = 0
    apart: int = 0

    def line(self) -> str:
        amounts = " | ".join(f"{amount / MIB:,.0f}" for amount in (self.size, self.web, self.worker, self.apart))
        return f"| {self.name} | {self.seconds:,.1f} | {amounts} |"


@dataclass
class Large:
    """A playground and its measurements."""

    playground: Playground
    client: Client = field(init=False)
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.client = Client(self.playground.url)
        self.web = wait_for(lambda: self.playground.find("playground.local.web_process"), "the web process")
        self.worker = wait_for(self.playground.worker, "the worker's pool")

    @contextmanager
    def step(self, name: str) -> Iterator[Step]:
        made, over = Step(name), threading.Event()
        forget_peak(self.web)

        def look() -> None:
            # Once at least: a small step is over before the first pause is.
            while True:
                made.apart = max(made.apart, _largest_below(self.web))
                made.worker = max(made.worker, _largest_below(self.worker))
                if over.wait(LOOK_SECONDS):
                    return

        looking = threading.Thread(target=look)
        looking.start()
        began = time.monotonic()
        try:
            yield made
        finally:
            made.seconds = time.monotonic() - began
            over.set()
            looking.join()
        made.web = peak(self.web)
        self.steps.append(made)

    def bring(self, parts: dict[str, bytes], counts: dict[str, int]) -> int:
        """Import these files into a new cluster; return its number."""
        cluster = self.client.cluster()
        body = _form(parts)
        with self.step("import") as step:
            status, answer = self.client.post(f"clusters/{cluster}/import/", body, FORM)
            assert (status, answer["counts"]) == (200, counts), answer
        step.size = len(body)
        with self.step("creation by the worker"):
            wait_for(
                lambda: self.get(f"clusters/{cluster}/commands/1/")["state"] == "done", "the objects", PATIENCE_SECONDS
            )
        return cluster

    def export(self, cluster: int, target: str, form: str) -> bytes:
        with self.step(f"export for {target}, {form}") as step:
            text = self.read(f"clusters/{cluster}/export/cluster/?target={target}&format={form}")
        step.size = len(text)
        return text

    def get(self, path: str) -> dict[str, object]:
        found: dict[str, object] = json.loads(self.read(path))
        return found

    def read(self, path: str) -> bytes:
        connection = http.client.HTTPConnection(self.client.place, timeout=PATIENCE_SECONDS)
        connection.request("GET", f"/api/v1/{path}", headers=self.client.headers)
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status == 200, text[:1000]
        return text


def _largest_below(process: psutil.Process) -> int:
    most = 0
    for child in process.children(recursive=True):
        try:
            most = max(most, child.memory_info().rss)
        except psutil.NoSuchProcess:
            continue
    return most


def _form(parts: dict[str, bytes]) -> bytes:
    body = b""
    for name, content in parts.items():
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"; filename="x"\r\n\r\n'
        body += head.encode() + content + b"\r\n"
    return body + f"--{BOUNDARY}--\r\n".encode()


def objects(nodes: int, pods: int) -> bytes:
    items = [node(f"node-{i}", zone=f"zone-{i % 3}") for i in range(nodes)]
    items += [pod(f"pod-{i}") for i in range(pods)]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, separators=(",", ":")).encode()


def trace(folder: Path) -> tuple[dict[str, bytes], dict[str, int]]:
    """The files of a production cluster, see docs/how-to/import-a-cluster.md, and how many rows they have."""
    found = {kind: next(folder.glob(f"*{kind}*.csv*")) for kind in ("node", "pod")}
    parts = {f"{kind}s_csv": path.read_bytes() for kind, path in found.items()}
    rows = {kind: gzip.decompress(parts[f"{kind}s_csv"]).count(b"\n") - 1 for kind in found}
    return parts, {"Node": rows["node"], "Pod": rows["pod"]}


def measure(large: Large, nodes: int, pods: int) -> None:
    cluster = large.bring({"file": objects(nodes, pods)}, {"Node": nodes, "Pod": pods})
    for target in ("playground", "kubectl"):
        for form in ("json", "yaml"):
            text = large.export(cluster, target, form)
            assert len(text) <= limits.EXPORT_BYTES
            wanted = {"json": b'"kind": "Pod"', "yaml": b"kind: Pod\n"}[form]
            assert text.count(wanted) == pods


def main(arguments: Sequence[str] | None = None, playground: Playground | None = None) -> int:
    """Measure in a playground of its own, or in the given one."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.large", description=__doc__)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=95_000)
    parser.add_argument("--trace", type=Path, nargs="?", const=DEFAULT_FOLDER, help="a trace's folder instead")
    options = parser.parse_args(arguments)
    with ExitStack() as stack:
        if playground is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            playground = stack.enter_context(run_playground(Path(folder) / "data"))
        large = Large(playground)
        try:
            if options.trace:
                large.bring(*trace(options.trace))
            else:
                measure(large, options.nodes, options.pods)
        finally:
            print("\n".join([*HEAD, *(step.line() for step in large.steps)]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
