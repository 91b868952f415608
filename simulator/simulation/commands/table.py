"""All commands by kind. Each module of `_FAMILIES` defines some of them in its `COMMANDS`."""

from collections.abc import Mapping
from typing import Any

from kube_objects.sentences import say
from kube_objects.text.problems import Problem
from simulator.simulation.commands import configuration, controllers, nodes, objects, pods, scheduling, starting
from simulator.simulation.commands.command import Command, CommandError
from simulator.simulation.commands.fields import Schema

_FAMILIES = (objects, configuration, scheduling, nodes, pods, starting, controllers)

COMMANDS: Mapping[str, Command] = {command.kind: command for family in _FAMILIES for command in family.COMMANDS}


def check(payload: Mapping[str, Any]) -> Command:
    """Check the form of a payload, and return its command.

    Raise CommandError for an unknown kind, missing or unknown fields, and values out of range.
    """
    kind = payload.get("kind")
    if not isinstance(kind, str) or kind not in COMMANDS:
        raise CommandError([Problem("kind", kind, say("must be one of {choices}", choices=", ".join(COMMANDS)))])
    if problems := COMMANDS[kind].check(payload):
        raise CommandError(problems)
    return COMMANDS[kind]


def label_of(payload: Mapping[str, Any]) -> str:
    """Return the label of a checked command, such as "cordon n1", or "" if users can't undo the command."""
    label = COMMANDS[payload["kind"]].label
    if label is None:
        return ""
    template, arguments = label(payload)
    return say(template, **arguments)


def schema() -> Schema:
    """Return the JSON schema of commands, with one alternative for each kind."""
    return {"oneOf": [command.schema() for command in COMMANDS.values()]}
