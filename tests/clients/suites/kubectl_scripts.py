"""Run the shell scripts by which upstream tests kubectl (`test/cmd`) against a cluster of a playground."""

import os
import subprocess
from collections import Counter
from pathlib import Path

import yaml

from tests.clients.suites import clusters
from tests.resilience.client import Client

DRIVER = Path(__file__).with_suffix(".sh")
SECONDS = 7200
# The scripts have the address and the token of their own API server.
_SERVERS = [f"https://{host}:${{SECURE_API_PORT}}" for host in ("127.0.0.1", "localhost")]
_TOKEN = "admin-token"
_OF_CLONE = "https://raw.githubusercontent.com/kubernetes/kubernetes/master/"
_STOPS = "set -o errexit"


def run(clone: Path, kubectl: Path, client: Client, url: str, work: Path) -> dict[str, str | None]:
    """Return the outcome of each assertion of the scripts, by case, file and line."""
    number = clusters.create(client, work.name, clusters.OF_CONTROLLER_MANAGER)
    document = yaml.safe_load(client.post(f"clusters/{number}/tokens/", {"role": "admin"})["kubeconfig"])
    token = document["users"][0]["user"]["token"]
    kubeconfig = clusters.write_kubeconfig(work, {"server": f"{url}/k8s/{number}"}, {"token": token})
    command = [str(kubectl), "--kubeconfig", str(kubeconfig), "proxy", "--port=0", "--append-server-path"]
    # The scripts expect the API at the root of a server. The proxy refuses exec and attach without this option.
    command.append("--reject-paths=^/nothing$")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as proxy:
        assert proxy.stdout is not None
        try:
            server = f"http://{proxy.stdout.readline().split()[-1]}"
            return _run_scripts(clone, kubectl, server, token, work)
        finally:
            proxy.terminate()


def _run_scripts(clone: Path, kubectl: Path, server: str, token: str, work: Path) -> dict[str, str | None]:
    for script in (clone / "test/cmd").glob("*.sh"):
        # Nothing is fetched from outside: the clone has the files.
        text = script.read_text().replace(_TOKEN, token).replace(_OF_CLONE, "")
        for address in _SERVERS:
            text = text.replace(address, server)
        # A case goes on after an assertion that fails, so that each of them counts.
        script.write_text(text if script.name == "legacy-script.sh" else text.replace(_STOPS, "set +o errexit"))
    programs = clone / "_output/bin"
    programs.mkdir(parents=True)
    (programs / "kubectl").symlink_to(kubectl)
    report, environ = work / "assertions", {**os.environ, "TERM": "ansi", "TMPDIR": str(work)}
    report.touch()
    with (work / "output").open("w") as output:
        subprocess.run(
            ["bash", str(DRIVER), str(clone), server, token, str(report)],
            env=environ,
            stdout=output,
            stderr=output,
            timeout=SECONDS,
            check=False,
        )
    return read_assertions(report.read_text())


def read_assertions(report: str) -> dict[str, str | None]:
    """Return the outcome of each assertion that the driver reports: "" for one that passed, else what it printed.

    An assertion is named `case::file:line`, with a number behind that when the line is run several times.
    """
    outcomes: dict[str, str | None] = {}
    times: Counter[str] = Counter()
    for line in report.splitlines():
        state, case, place, printed = (*line.split("\t"), "")[:4]
        name = f"{case}::{place}"
        times[name] += 1
        outcomes[name if times[name] == 1 else f"{name}#{times[name]}"] = printed if state == "FAIL" else ""
    return outcomes
