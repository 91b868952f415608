"""Repairs of Pods of every owner, for every kind of need: the printed lines, run by the real kubectl.

`python -m tests.clients.repair_table URL` runs the whole table against a playground; the tests run a part of it.
"""

import json
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from scheduler_core.edits.costs import COSTS
from tests.core.repair.owners_and_needs import NEEDS, Manifest, Need, cases, workload
from tests.kubectl import programs
from tests.kubectl.__main__ import CONTROLLERS
from tests.resilience.client import Client
from tests.services import until


class Bench:
    """A new cluster of a playground per case, with all controllers running."""

    def __init__(self, url: str, folder: Path) -> None:
        self._url, self._folder = url, folder
        self._page = Client([url], None)

    def lines(self, owner: str, need: Need) -> tuple[int, list[str]]:
        """Return the cluster, and the lines of the first verified repair of its pending Pod."""
        page = self._page
        number = page.post("clusters/", {"name": "repairs", "seed": 1})["id"]
        at = f"clusters/{number}"
        page.post(f"{at}/commands/", {"kind": "set_actors", "actors": CONTROLLERS, "hashes": "upstream"})
        page.post(f"{at}/commands/", {"kind": "create", "objects": list(need.around)})
        page.post(f"{at}/commands/", {"kind": "create", "objects": [workload(owner, need)]})
        if owner == "CronJob":
            page.post(f"{at}/commands/", {"kind": "run", "until": {"seconds": 90}})
        page.put(
            f"{at}/repairs/costs/", {"costs": {kind: None for kind in COSTS if kind not in need.kinds}, "locks": []}
        )
        page.post(f"{at}/pace/", {"live": True})
        key = until(lambda: self._waiting(number), 20)
        assert key, "no pod waits"
        found: Manifest = {"finished": False, "repairs": []}
        while not found["finished"] and not found["repairs"]:
            found = page.get(f"{at}/repairs/?pod={key}")
        if not found["repairs"]:
            return number, []
        return number, [edit["kubectl"] for edit in found["repairs"][0]["edits"] if edit["kubectl"]]

    def run(self, number: int, lines: Sequence[str]) -> str:
        """Run the lines in a shell with kubectl for this cluster, and return the output. Raise when one fails."""
        server = f"{self._url}/k8s/{number}"
        config = self._folder / f"kubeconfig-{number}"
        cluster = {"name": "c", "cluster": {"server": server}}
        context = {"name": "c", "context": {"cluster": "c", "user": "u"}}
        users = [{"name": "u", "user": {}}]
        config.write_text(
            json.dumps({"clusters": [cluster], "contexts": [context], "users": users, "current-context": "c"})
        )
        environ = {"PATH": f"{programs.folder()}:/usr/bin:/bin", "HOME": str(self._folder), "KUBECONFIG": str(config)}
        script = "set -e -o pipefail\n" + "\n".join(lines)
        done = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, env=environ, timeout=120, check=False
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
        return done.stdout

    def places(self, number: int) -> bool:
        """Return True if the workload's Pod soon has a Node and none of its Pods is pending."""
        return bool(until(lambda: self._is_placed(number), 20))

    def _is_placed(self, number: int) -> bool | None:
        pods = [pod for pod in self.pods(number) if pod["metadata"].get("labels", {}).get("app") == "w"]
        return (bool(pods) and all(pod["spec"].get("nodeName") for pod in pods)) or None

    def _waiting(self, number: int) -> str | None:
        """Return the workload's Pod, once an attempt failed."""
        for pod in self.pods(number):
            tried = [one["type"] for one in pod.get("status", {}).get("conditions", ()) if one["status"] == "False"]
            if pod["metadata"].get("labels", {}).get("app") == "w" and "PodScheduled" in tried:
                return f"default/{pod['metadata']['name']}"
        return None

    def pods(self, number: int) -> list[Manifest]:
        with urllib.request.urlopen(f"{self._url}/k8s/{number}/api/v1/namespaces/default/pods") as answer:
            items: list[Manifest] = json.load(answer)["items"]
            return items

    def drop(self, number: int) -> None:
        self._page.delete(f"clusters/{number}/")


def main() -> int:
    failed = 0
    wanted = sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(sys.argv[1], Path(folder))
        for owner, name in cases():
            if wanted and not any(word in f"{owner}: {name}" for word in wanted):
                continue
            number = 0
            try:
                number, lines = bench.lines(owner, NEEDS[name])
                if lines:
                    bench.run(number, lines)
                    assert bench.places(number), lines
                print("ok    " if lines else "none  ", owner, name, flush=True)
                failed += not lines
            except AssertionError as error:
                failed += 1
                print("FAILED", owner, name, error, flush=True)
            bench.drop(number)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
