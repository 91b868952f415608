"""Reports on another kube-scheduler version with a cluster's Pods, computed in parts."""

from collections.abc import Mapping
from typing import Any, TypedDict

from cachetools import LRUCache

from playground.limits import UPGRADE_SLICE_SECONDS
from playground.problems import Refused, list_api_problems, problem
from playground.questions.moments import Moment
from playground.questions.time_slices import TimeSlices
from scheduler_core.config import ConfigError
from scheduler_core.emulations import emulation_of
from scheduler_core.framework.emulation import Emulation
from scheduler_core.gates import GateError, parse_gates
from simulator.simulation import Simulation
from simulator.upgrade.report import UpgradeReport, as_json
from simulator.upgrade.simulation_report import report_steps


class UpgradePart(TypedDict):
    """The progress of the report about the cluster after the record `revision`; `report` once it is finished."""

    revision: int
    finished: bool
    attempts: int
    expected: int
    report: UpgradeReport | None


class ReportInProgress:
    """A report in progress, which continues with each request."""

    def __init__(self, simulation: Simulation, new: Emulation) -> None:
        self.revision = simulation.seq
        self.report, attempts = report_steps(simulation, new)
        self.done = self.expected = 0
        self._slices: TimeSlices[tuple[int, int]] = TimeSlices()
        self._slices.begin(attempts)

    @property
    def ended(self) -> bool:
        return self._slices.ended

    def advance(self, seconds: float) -> None:
        if steps := self._slices.advance(seconds):
            self.done, self.expected = steps[-1]

    def answer(self) -> dict[str, Any]:
        return {
            "revision": self.revision,
            "finished": self.ended,
            "attempts": self.done,
            "expected": self.expected,
            "report": as_json(self.report) if self.ended else None,
        }


# Reports in progress by cluster, record, version and gates, so that a cluster that runs meanwhile doesn't restart them.
_running: LRUCache[tuple[int, int, str, str], ReportInProgress] = LRUCache(8)


def answer_part(moment: Moment, arguments: Mapping[str, Any]) -> Any:
    """Continue the report for a short time: all Pods under the cluster's version and under the version `to`.

    Extenders are not called. `revision` selects the report; an unknown one starts a new report.
    """
    new = _parse_emulation(arguments)
    simulation = moment.simulation
    revision = simulation.seq if arguments["revision"] is None else arguments["revision"]
    wanted = arguments["to"], arguments["gates"]
    running = _running.pop((moment.cluster_id, revision, *wanted), None) or ReportInProgress(simulation, new)
    if not running.ended:
        try:
            running.advance(UPGRADE_SLICE_SECONDS)
        except ConfigError as error:
            raise Refused(list_api_problems(error)) from error
    _running[moment.cluster_id, running.revision, *wanted] = running
    return running.answer()


def _parse_emulation(arguments: Mapping[str, Any]) -> Emulation:
    try:
        return emulation_of(arguments["to"], parse_gates(arguments["gates"]))
    except GateError as error:
        raise Refused([problem("gates", str(error), arguments["gates"])]) from error
