"""A cluster per test, on a playground as `make run` starts it, and the setup of real clients."""

import os
import shlex
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.kubectl import programs
from tests.kubectl.__main__ import CONTROLLERS
from tests.resilience.client import Client
from tests.services import Playground
from tests.web import node

NODES = [node(f"node-{number}") for number in range(3)]

_KUBECONFIG = """apiVersion: v1
kind: Config
clusters: [{{name: playground, cluster: {{server: "{server}"}}}}]
users: [{{name: me, user: {{}}}}]
contexts: [{{name: playground, context: {{cluster: playground, user: me}}}}]
current-context: playground
"""


@dataclass(frozen=True)
class Cluster:
    """A cluster. `server` is the address in its `kubeconfig`; `page` is the playground's own API."""

    server: str
    kubeconfig: Path
    page: Client
    number: int

    def run(self, *command: str, want: int = 0, stdin: str = "") -> str:
        """Return the output of kubectl or helm, errors last; `want` is the expected exit status."""
        environ = {
            "PATH": f"{programs.folder()}:{os.environ['PATH']}",
            "HOME": str(self.kubeconfig.parent),
            "KUBECONFIG": str(self.kubeconfig),
        }
        done = subprocess.run(
            command, input=stdin, capture_output=True, text=True, env=environ, timeout=120, check=False
        )
        assert done.returncode == want, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def kubectl(self, line: str, want: int = 0, stdin: str = "") -> str:
        return self.run("kubectl", *shlex.split(line), want=want, stdin=stdin)


@pytest.fixture
def make_cluster(playground_server: Playground, tmp_path: Path) -> Callable[..., Cluster]:
    """Return a function that makes clusters. `actors`: with running controllers and continuous time."""

    def made(*, actors: bool = False, objects: list[dict[str, Any]] = NODES) -> Cluster:
        page = Client([playground_server.url], None)
        number = page.post("clusters/", {"name": "clients", "seed": 1})["id"]
        if objects:
            page.post(f"clusters/{number}/commands/", {"kind": "create", "objects": objects})
        if actors:
            page.post(
                f"clusters/{number}/commands/", {"kind": "set_actors", "actors": CONTROLLERS, "hashes": "upstream"}
            )
            page.post(f"clusters/{number}/pace/", {"live": True})
        server = f"{playground_server.url}/k8s/{number}"
        kubeconfig = tmp_path / f"kubeconfig-{number}"
        kubeconfig.write_text(_KUBECONFIG.format(server=server))
        return Cluster(server, kubeconfig, page, number)

    return made
