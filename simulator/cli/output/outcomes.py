"""Outcome of every pod of a run, collected from its records."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.simulation import Record

# Lane of docs/reference/commands-and-trace.md → status in the command line's tables.
STATUS = {
    "active": "Queued",
    "backoff": "Backoff",
    "bound": "Placed",
    "errorBackoff": "Backoff",
    "gated": "Gated",
    "gone": "Gone",
    "ignored": "Ignored",
    "unschedulable": "Unschedulable",
    "waiting": "Waiting",
}


ENDED = ("Succeeded", "Failed")


@dataclass(slots=True)
class PodOutcome:
    """One pod at the end; `given` is true if it ran or had ended before the scheduler saw it."""

    pod: str
    lane: str = ""
    node: str = ""
    attempts: int = 0
    message: str = ""
    ended: str = ""  # Succeeded or Failed
    plugins: list[str] = field(default_factory=list)
    given: bool = False

    @property
    def placed(self) -> bool:
        return self.lane == "bound"

    @property
    def status(self) -> str:
        return self.ended or STATUS.get(self.lane, self.lane)

    @property
    def reason(self) -> str:
        """Return why the pod has no node, "" if it has one."""
        if self.placed or self.ended:
            return ""
        match self.lane:
            case "gated":
                return f"gated by {', '.join(self.plugins)}"
            case "waiting":
                return "waits for its binding"
            case "active" if not self.message:
                return "not tried yet"
        return self.message


class Outcomes:
    """A collector of a run's records from the first one on; pods are in the order of the scenario."""

    def __init__(self) -> None:
        self.pods: dict[str, PodOutcome] = {}

    def follow(self, record: Record) -> None:
        data = record.data
        for key, lane in record.lanes.items():
            pod = self.pods.get(key)
            if pod is None:
                pod = self.pods[key] = PodOutcome(key, given=lane["lane"] in ("bound", "gone"))
            pod.lane = lane["lane"]
            pod.plugins = [lane["gate"]] if lane.get("gate") else lane.get("plugins", [])
            if pod.lane == "ignored":
                pod.message = "no profile has the pod's schedulerName"
        for _, kind, key, manifest in record.manifests:
            if kind == "Pod" and manifest is not None:
                self.pods[key].node = manifest.get("spec", {}).get("nodeName", "")
                phase = manifest.get("status", {}).get("phase", "")
                self.pods[key].ended = phase if phase in ENDED else ""
        if "cycle" in data:
            self._attempt(data["cycle"])
        for key in data.get("evicted", data["pods"] if data["kind"] == "eviction" else ()):
            self.pods[key].message = "evicted"
        for event in data.get("events", ()):
            if event["reason"] == "Preempted":
                self.pods[event["object"]].message = event["message"]

    def _attempt(self, cycle: Mapping[str, Any]) -> None:
        pod = self.pods[cycle["pod"]]
        pod.attempts = cycle["attempt"]
        pod.message = cycle["message"]

    @property
    def tried(self) -> list[PodOutcome]:
        """Return the pods that the scheduler had to place, and those that it evicted."""
        return [pod for pod in self.pods.values() if not pod.given or (pod.lane == "gone" and pod.message)]
