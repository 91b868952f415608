"""The report about a simulation: its pods as they were given, before anything was scheduled."""

from collections.abc import Iterator

from scheduler_core.framework.emulation import Emulation
from simulator.simulation import Simulation, reset
from simulator.upgrade.report import UpgradeReport, comparing


def upgrade_of(simulation: Simulation, new: Emulation) -> UpgradeReport:
    """Under its own version and the `new` one. Extenders are not called. Raises ConfigError."""
    report, attempts = upgrading(simulation, new)
    for _ in attempts:
        pass
    return report


def upgrading(simulation: Simulation, new: Emulation) -> tuple[UpgradeReport, Iterator[tuple[int, int]]]:
    """The same attempt by attempt: how many there were and how many are expected; the report is whole at their end."""
    start = Simulation.create(
        config=simulation.config_text,
        emulation=simulation.emulation,
        registry=simulation.cluster.registry,
        record_steps=False,
    )
    for obj in reset.objects_after(simulation.given, simulation.cluster.store, [reset.CORDONS]):
        start.cluster.put(obj)
    old, config = simulation.emulation, simulation.config_text or None
    report = UpgradeReport(old.version, new.version)
    return report, comparing(report, list(start.cluster.store), old, new, config)
