"""What would another version of kube-scheduler do with the pods of a cluster? At once, or a part each time."""

from collections.abc import Mapping
from typing import Any, TypedDict

from cachetools import LRUCache

from playground.limits import UPGRADE_SLICE_SECONDS
from playground.problems import Refused, of_error, problem
from playground.questions.moments import Moment
from playground.questions.slices import Slices
from scheduler_core.config import ConfigError
from scheduler_core.emulations import emulation_of
from scheduler_core.framework.emulation import Emulation
from scheduler_core.gates import GateError, parse_gates
from simulator.simulation import Simulation
from simulator.upgrade.report import UpgradeReport, described
from simulator.upgrade.simulation_report import report_steps


class UpgradePart(TypedDict):
    """How far the report about the cluster as it was after the record `revision` is; `report` when it is finished."""

    revision: int
    finished: bool
    attempts: int
    expected: int
    report: UpgradeReport | None


class Running:
    """A report that is gone on with when it is asked about; one that nobody asks about any more costs nothing."""

    def __init__(self, simulation: Simulation, new: Emulation) -> None:
        self.revision = simulation.seq
        self.report, attempts = report_steps(simulation, new)
        self.done = self.expected = 0
        self._slices: Slices[tuple[int, int]] = Slices()
        self._slices.begin(attempts)

    @property
    def ended(self) -> bool:
        return self._slices.ended

    def go_on(self, seconds: float) -> None:
        if found := self._slices.go_on(seconds):
            self.done, self.expected = found[-1]

    def answer(self) -> dict[str, Any]:
        return {
            "revision": self.revision,
            "finished": self.ended,
            "attempts": self.done,
            "expected": self.expected,
            "report": described(self.report) if self.ended else None,
        }


# Those that are gone on with, by cluster, the record they are of, version and gates: a cluster that goes on meanwhile
# does not begin them anew.
_running: LRUCache[tuple[int, int, str, str], Running] = LRUCache(8)


def part(moment: Moment, arguments: Mapping[str, Any]) -> Any:
    """Work a while on all pods as they were given, under the cluster's own version and under the other.

    Extenders are not called. `revision` says which report is gone on with, and what is not known begins anew."""
    new = _other(arguments)
    simulation = moment.simulation
    revision = simulation.seq if arguments["revision"] is None else arguments["revision"]
    wanted = arguments["to"], arguments["gates"]
    running = _running.pop((moment.cluster_id, revision, *wanted), None) or Running(simulation, new)
    if not running.ended:
        try:
            running.go_on(UPGRADE_SLICE_SECONDS)
        except ConfigError as error:
            raise Refused(of_error(error)) from error
    _running[moment.cluster_id, running.revision, *wanted] = running
    return running.answer()


def _other(arguments: Mapping[str, Any]) -> Emulation:
    try:
        return emulation_of(arguments["to"], parse_gates(arguments["gates"]))
    except GateError as error:
        raise Refused([problem("gates", str(error), arguments["gates"])]) from error
