"""`make kubectl`: replay recorded kubectl and helm sessions against a playground that it starts.

    python -m tests.kubectl [FOLDER] [--only NAME…] [--all]

Prints the first difference of each scenario that fails (`--all`: every one) and, last, `N passed, M failed`.
"""

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path

from kube_controllers import names
from tests.kubectl import programs
from tests.kubectl.transcript_replay import play
from tests.kubectl.transcripts import SHIPPED, load
from tests.resilience.client import Client
from tests.services import run_playground, wait_for

# What ran beside the API server where a session says that controllers did: kube-controller-manager, its controllers of
# nodes and endpoints switched off, and a kubelet.
_OFF = (
    "cluster-autoscaler",
    "descheduler",
    "endpoints",
    "endpointslice",
    "endpointslice-mirroring",
    "node-lifecycle",
)
CONTROLLERS = [name for name in names.CONTROLLERS if name not in _OFF]

# Steps that differ by design, by their number from 1:
# - ctl-pdb-drain: the recorded controller read the PDB before its Pods, and sent the Event NoPods; here the Pods exist.
# - pod-claims: the recorded server had no controller of claims; the playground always creates the claims of a Pod.
# - version-cluster: the version and build are the playground's, and its scheduler and controllers are healthy.
# - watch-raw: resource versions have 13 digits here and three there.
_DOCUMENTED = {"ctl-pdb-drain": (6,), "pod-claims": (2, 6), "version-cluster": (1, 2, 5, 9), "watch-raw": (5, 6)}


def main() -> int:
    arguments = argparse.ArgumentParser(description="Play recorded kubectl and helm sessions.")
    arguments.add_argument("folder", nargs="?", type=Path, default=SHIPPED)
    arguments.add_argument("--only", nargs="*", default=[], help="names of scenarios")
    arguments.add_argument("--quiet", action="store_true", help="names of what fails, without the difference")
    arguments.add_argument("--all", action="store_true", help="go on after a difference, and print every one")
    given = arguments.parse_args()
    scenarios = [each for each in load(given.folder) if not given.only or each.name in given.only]
    if not scenarios:
        print(f"no scenario in {given.folder}")
        return 2
    tools = programs.folder()
    passed = steps = 0
    with (
        tempfile.TemporaryDirectory(prefix="playground-kubectl-") as folder,
        run_playground(Path(folder) / "data") as playground,
    ):
        client = Client([playground.url], None)
        for scenario in scenarios:
            cluster = client.post("clusters/", {"name": scenario.name[:60], "seed": 1})["id"]
            if scenario.controllers:
                client.post(
                    f"clusters/{cluster}/commands/", {"kind": "set_actors", "actors": CONTROLLERS, "hashes": "upstream"}
                )
                client.post(f"clusters/{cluster}/pace/", {"live": True})
            server = f"{playground.url}/k8s/{cluster}"
            rest = partial(_come_to_rest, client, cluster)
            right, wrong = play(
                scenario,
                server,
                tools,
                Path(folder) / f"played-{cluster}",
                rest,
                is_whole=given.all,
                documented=_DOCUMENTED.get(scenario.name, ()),
            )
            client.delete(f"clusters/{cluster}/")
            steps += right
            passed += not wrong
            for each in wrong:
                print(f"FAILED {scenario.name}, step {each.number + 1} of {len(scenario.steps)}: {each.step.run}")
                if not given.quiet:
                    print(each.text, end="\n\n")
            sys.stdout.flush()
    total = sum(len(each.steps) for each in scenarios)
    which = "" if given.all else " before the first difference of their scenario"
    print(f"{steps} of {total} steps were as recorded{which}")
    print(f"{passed} passed, {len(scenarios) - passed} failed")
    return 0 if passed == len(scenarios) else 1


def _come_to_rest(client: Client, cluster: int) -> None:
    wait_for(lambda: client.get(f"clusters/{cluster}/")["state"] == "idle", "the cluster to be idle")


if __name__ == "__main__":
    sys.exit(main())
