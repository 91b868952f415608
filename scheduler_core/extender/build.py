"""Build the extenders of a configuration, in the order in which they are called."""

from scheduler_core.config.types import SchedulerConfiguration
from scheduler_core.extender.http_extender import HTTPExtender
from scheduler_core.extender.transport import Transport


def build_extenders(config: SchedulerConfiguration, transport: Transport) -> tuple[HTTPExtender, ...]:
    """Return the extenders, ignorable ones last. Source: pkg/scheduler/scheduler.go."""
    extenders = [HTTPExtender(extender, transport) for extender in config.extenders]
    return tuple(sorted(extenders, key=lambda extender: extender.ignorable))
