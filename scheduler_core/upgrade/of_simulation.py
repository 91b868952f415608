"""The report about a simulation: its pods as they were given, before anything was scheduled."""

from scheduler_core.framework.emulation import Emulation
from scheduler_core.simulation import Simulation, reset
from scheduler_core.upgrade.report import UpgradeReport, compare


def upgrade_of(simulation: Simulation, new: Emulation) -> UpgradeReport:
    """Under its own version and the `new` one. Extenders are not called. Raises ConfigError."""
    start = Simulation.create(
        config=simulation.config_text,
        emulation=simulation.emulation,
        registry=simulation.cluster.registry,
        record_steps=False,
    )
    for obj in reset.objects_after(simulation.given, simulation.cluster.store, [reset.CORDONS]):
        start.cluster.put(obj)
    return compare(list(start.cluster.store), simulation.emulation, new, simulation.config_text or None)
