"""The configuration of the scheduler."""

from collections.abc import Iterator

from scheduler_core.config import ConfigError
from scheduler_core.config.limits import MAX_BYTES
from scheduler_core.legacy.recognise import with_past
from scheduler_core.sentences import Template
from scheduler_core.simulation.commands.command import Command, CommandError, Payload
from scheduler_core.simulation.commands.fields import Text
from scheduler_core.simulation.journal import Record
from scheduler_core.simulation.timeline import Timeline

MAX_NOTE = 500


def set_config(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    try:
        config = simulation.load(payload["yaml"])
    except ConfigError as error:
        is_of_today = simulation.emulation.rules is not None
        raise CommandError(with_past(error.problems, payload["yaml"]) if is_of_today else error.problems) from error

    def carry_out() -> Iterator[Record]:
        simulation.config_text = payload["yaml"]
        simulation.cluster.set_config(config)
        note = {"note": payload["note"]} if payload.get("note") else {}
        yield simulation.record("config", profiles=list(simulation.cluster.scheduler.frameworks), **note)

    return carry_out()


COMMANDS = (
    Command(
        kind="set_config",
        about="applies a KubeSchedulerConfiguration from the next cycle on; the queue is kept",
        required={"yaml": Text(MAX_BYTES, is_short=False)},
        optional={"note": Text(MAX_NOTE)},
        prepare=set_config,
        record="config",
        label=lambda _: (Template("set the configuration"), {}),
        inverse=lambda found: {"kind": "set_config", "yaml": found["yaml"]},
        outlives_reset=True,
        is_stored=True,
    ),
)
