"""A sequence in the form of the recorded ones, and the state after its last step."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from kube_objects.manifests import name
from tests.conformance.cli.api_server import Rules
from tests.conformance.cli.shell import run_line
from tests.conformance.controllers.kubectl import Kubectl
from tests.conformance.controllers.player import QUIET, QUIET_FOR_JOBS, Player, in_namespace
from tests.conformance.controllers.targets import is_namespaced

Step = str | float | Mapping[str, Any]  # a line of the shell, seconds, or what the kubelet does


class Played:
    """The replayed steps of a sequence, and the state after the last of them."""

    def __init__(self, steps: Sequence[Step], *files: Mapping[str, Any]) -> None:
        quiet = QUIET_FOR_JOBS if files[0]["kind"] in ("Job", "CronJob") else QUIET
        self.player = Player(["node-1", "node-2", "node-3"], quiet)
        for other in files[1:]:
            self.player.create(in_namespace(other, is_namespaced(other), "default"))
        kubectl = Kubectl(self.player, {"w.yaml": json.dumps(files[0])}, Rules())
        for step in steps:
            if isinstance(step, str):
                assert run_line(step, kubectl).code == 0
            elif isinstance(step, Mapping):
                self.player.kubelet(step["kubelet"], step.get("count"), None, 1)
            else:
                self.player.wait(step)
            self.player.rest()
            self.looked = self.player.look()

    def events(self, reason: str) -> list[str]:
        found = self.player.events_of(self.looked["events"])
        return sorted(one["message"] for one in found if one["reason"] == reason for _ in range(one["times"]))

    def names(self, of: str) -> list[str]:
        return sorted(name(one) for one in self.player.life.manager.objects.of_kind(of))

    def one(self, of: str) -> Any:
        return next(iter(self.player.life.manager.objects.of_kind(of)))

    def told(self) -> list[str]:
        """Return each Event with its object and its count."""
        found = self.player.events_of(self.looked["events"])
        return [f"{one['object']} {one['reason']} {one['count']}: {one['message']}" for one in found]
