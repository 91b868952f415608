"""Upgrade report of a simulation, from its initial objects before any scheduling."""

from collections.abc import Iterator

from scheduler_core.framework.emulation import Emulation
from simulator.simulation import Simulation, reset
from simulator.upgrade.report import UpgradeReport, compare_steps


def report_upgrade(simulation: Simulation, new: Emulation) -> UpgradeReport:
    """Return the report from the simulation's version to `new`. Extenders are not called. Raises ConfigError."""
    report, attempts = report_steps(simulation, new)
    for _ in attempts:
        pass
    return report


def report_steps(simulation: Simulation, new: Emulation) -> tuple[UpgradeReport, Iterator[tuple[int, int]]]:
    """Return the report and an iterator that fills it, attempt by attempt.

    The iterator yields the number of attempts so far and the expected number.
    """
    start = Simulation.create(
        config=simulation.config_text,
        emulation=simulation.emulation,
        registry=simulation.cluster.registry,
        record_steps=False,
    )
    for obj in reset.objects_after_reset(simulation.submitted, simulation.cluster.store, [reset.CORDONS]):
        start.cluster.put(obj)
    old, config = simulation.emulation, simulation.config_text or None
    report = UpgradeReport(old.version, new.version)
    return report, compare_steps(report, list(start.cluster.store), old, new, config)
