"""Every command there is, by its kind. A family is a file beside this one, with its commands in `COMMANDS`."""

from collections.abc import Mapping
from typing import Any

from kube_objects.sentences import say
from kube_objects.text.problems import Problem
from simulator.simulation.commands import actors, configuration, nodes, objects, pods, scheduling, starting
from simulator.simulation.commands.command import Command, CommandError
from simulator.simulation.commands.fields import Schema

_FAMILIES = (objects, configuration, scheduling, nodes, pods, starting, actors)

COMMANDS: Mapping[str, Command] = {command.kind: command for family in _FAMILIES for command in family.COMMANDS}


def check(payload: Mapping[str, Any]) -> Command:
    """The command that is meant; CommandError for an unknown kind, missing or unknown fields, values out of range."""
    kind = payload.get("kind")
    if not isinstance(kind, str) or kind not in COMMANDS:
        raise CommandError([Problem("kind", kind, say("must be one of {choices}", choices=", ".join(COMMANDS)))])
    if problems := COMMANDS[kind].check(payload):
        raise CommandError(problems)
    return COMMANDS[kind]


def label_of(payload: Mapping[str, Any]) -> str:
    """Return a user's change by a checked command as a sentence, or "" if the command changes nothing."""
    label = COMMANDS[payload["kind"]].label
    if label is None:
        return ""
    template, arguments = label(payload)
    return say(template, **arguments)


def schema() -> Schema:
    """The form of a command, one alternative a kind."""
    return {"oneOf": [command.schema() for command in COMMANDS.values()]}
