"""The commands `set_config` and `set_gates`, for the scheduler's configuration and its feature gates."""

from collections.abc import Iterator, Sequence

from kube_objects.sentences import Template
from kube_objects.text.problems import Problem
from scheduler_core.config import ConfigError
from scheduler_core.config.limits import MAX_BYTES
from scheduler_core.emulations import emulation_of, plain_version
from scheduler_core.gates import GateError, gates_text, parse_gates
from scheduler_core.gates.table import MAX_TEXT as MAX_GATES
from simulator.simulation.commands.command import Command, CommandError, Label, Payload
from simulator.simulation.commands.fields import Text
from simulator.simulation.journal import Record
from simulator.simulation.timeline import Timeline

MAX_NOTE = 500


def set_config(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    try:
        config = simulation.load(payload["yaml"])
    except ConfigError as error:
        raise CommandError(_with_hint(simulation, error, payload["yaml"])) from error

    def carry_out() -> Iterator[Record]:
        simulation.config_text = payload["yaml"]
        simulation.cluster.set_config(config)
        note = {"note": payload["note"]} if payload.get("note") else {}
        yield simulation.record("config", profiles=list(simulation.cluster.scheduler.frameworks), **note)

    return carry_out()


def _with_hint(simulation: Timeline, error: ConfigError, text: str) -> Sequence[Problem]:
    """Return the problems; the first one of a text for an older release points to its translation."""
    if simulation.emulation.rules is None:
        return error.problems
    # Formats of older releases are imported only for a text that the current release rejects.
    from scheduler_core.legacy.recognise import add_conversion_hint

    return add_conversion_hint(error.problems, text)


def set_gates(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    """Restart kube-scheduler with these gates; all others have the defaults of the version."""
    text = payload["gates"]
    try:
        emulation = emulation_of(plain_version(simulation.emulation.version), parse_gates(text))
    except GateError as error:
        raise CommandError([Problem("gates", text, str(error))]) from error
    registry = emulation.registry.with_others_of(simulation.cluster.registry)
    try:
        config = emulation.load(simulation.config_text, registry.points())
    except ConfigError as error:
        raise CommandError(error.problems) from error

    def carry_out() -> Iterator[Record]:
        simulation.switch_gates(emulation, registry, config)
        yield simulation.record("gates", gates=gates_text(emulation.gates))
        yield from simulation.settle()

    return carry_out()


def _gates_label(payload: Payload) -> Label:
    if not payload["gates"]:
        return Template("restart kube-scheduler with its default feature gates"), {}
    return Template("restart kube-scheduler with --feature-gates={gates}"), {"gates": payload["gates"]}


COMMANDS = (
    Command(
        kind="set_config",
        about="applies a KubeSchedulerConfiguration from the next cycle on; the queue stays",
        required={"yaml": Text(MAX_BYTES, is_short=False)},
        optional={"note": Text(MAX_NOTE)},
        prepare=set_config,
        record="config",
        label=lambda _: (Template("set the configuration"), {}),
        inverse=lambda before: {"kind": "set_config", "yaml": before["yaml"]},
        outlives_reset=True,
        is_stored=True,
    ),
    Command(
        kind="set_gates",
        about="restarts kube-scheduler with these [feature gates](#feature-gates)",
        required={"gates": Text(MAX_GATES, is_short=False)},
        prepare=set_gates,
        record="gates",
        label=_gates_label,
        inverse=lambda before: {"kind": "set_gates", "gates": before["gates"]},
        outlives_reset=True,
    ),
)
