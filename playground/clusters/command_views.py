"""Commands, and what a run obeys while it goes."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from kube_objects.sentences import say
from playground import limits
from playground.api.base import ClusterView, found, valid
from playground.api.schema import answers
from playground.clusters import commands
from playground.clusters.forms import Pace
from playground.engine import cluster_states, history
from playground.problems import Refused, problem
from simulator.simulation import breakpoints
from simulator.simulation.commands.table import schema as schema_of_commands

BREAKPOINTS = {"application/json": breakpoints.schema()}


def _keyed_commands() -> dict[str, Any]:
    """Each command of the engine's table may have a key."""
    schema = schema_of_commands()
    key = {"type": "string", "minLength": 1, "maxLength": limits.COMMAND_KEY, "nullable": True}
    for alternative in schema["oneOf"]:
        alternative["properties"]["key"] = key
    return schema


class Commands(ClusterView):
    """The commands of a cluster."""

    @answers(commands.CommandAccepted, write=True, status=202, request={"application/json": _keyed_commands()})
    def post(self, request: Request, cluster_id: int) -> Response:
        """Queue one command of docs/trace_format.md. With a `key`, sending it again changes nothing."""
        if not isinstance(request.data, dict):
            raise Refused([problem("", say('must be an object with a "kind"'))])
        payload = dict(request.data)
        key = _key(payload.pop("key", None))
        command = commands.submit(self.cluster.pk, payload, key, author=request.user.get_username())
        return Response({"number": command.number, "state": command.state}, status=202)


class CommandDetail(ClusterView):
    """One command."""

    @answers(history.CommandAnswer)
    def get(self, request: Request, cluster_id: int, number: int) -> Response:
        """How far it is."""
        return found(history.command(self.cluster.pk, number))


class Breakpoints(ClusterView):
    """What stops a run until a breakpoint."""

    @answers(BREAKPOINTS)
    def get(self, request: Request, cluster_id: int) -> Response:
        """Those of the cluster."""
        return Response(self.cluster.breakpoints)

    @answers(BREAKPOINTS, write=True, request=BREAKPOINTS)
    def put(self, request: Request, cluster_id: int) -> Response:
        """Others in their place, for the runs that are posted from now on."""
        commands.set_breakpoints(self.cluster.pk, request.data)
        return Response(request.data)


class Pause(ClusterView):
    """Stop what runs."""

    @answers(cluster_states.ClusterAnswer, write=True, status=202, request=None)
    def post(self, request: Request, cluster_id: int) -> Response:
        """Runs that were posted before this stop after their current cycle."""
        commands.pause(self.cluster.pk)
        return Response(cluster_states.state(self.cluster.pk), status=202)


class SetPace(ClusterView):
    """How fast runs go."""

    @answers(cluster_states.ClusterAnswer, write=True, request=Pace)
    def post(self, request: Request, cluster_id: int) -> Response:
        """Cycles per second, or virtual seconds per second; 0 is as fast as it goes. Holds for the run at work, too.

        `live`: from now on every change wakes the scheduler and the controllers; otherwise they wait for a step.
        """
        wanted = valid(Pace, request.data)
        commands.set_pace(self.cluster.pk, wanted.get("cycles_per_second"), wanted.get("seconds_per_second"))
        if "live" in wanted:
            commands.set_live(self.cluster.pk, wanted["live"], author=request.user.get_username())
        return Response(cluster_states.state(self.cluster.pk))


def _key(value: object) -> str | None:
    if value is None or (isinstance(value, str) and 0 < len(value) <= limits.COMMAND_KEY):
        return value
    raise Refused([problem("key", say("must be a text of 1 to {most} characters", most=limits.COMMAND_KEY), value)])
