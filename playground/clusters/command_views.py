"""Views of commands, and of the settings for runs: breakpoints, pause and pace."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from kube_objects.sentences import say
from playground import limits
from playground.api.base import ClusterView, respond, validate_data
from playground.api.schema import answers
from playground.clusters import commands
from playground.clusters.forms import Pace
from playground.engine import cluster_states, history_reads
from playground.problems import Refused, problem
from simulator.simulation import breakpoints
from simulator.simulation.commands.table import schema as schema_of_commands

BREAKPOINTS = {"application/json": breakpoints.schema()}


def _keyed_commands() -> dict[str, Any]:
    """Return the schema of the engine's commands, with an optional key for each."""
    schema = schema_of_commands()
    key = {"type": "string", "minLength": 1, "maxLength": limits.COMMAND_KEY, "nullable": True}
    for alternative in schema["oneOf"]:
        alternative["properties"]["key"] = key
    return schema


class Commands(ClusterView):
    """The commands of a cluster."""

    @answers(commands.CommandAccepted, write=True, status=202, request={"application/json": _keyed_commands()})
    def post(self, request: Request, cluster_id: int) -> Response:
        """Queue one command of docs/reference/commands-and-trace.md.

        Sending the same `key` again changes nothing.
        """
        if not isinstance(request.data, dict):
            raise Refused([problem("", say('must be an object with a "kind"'))])
        payload = dict(request.data)
        key = _key(payload.pop("key", None))
        command = commands.submit(self.cluster.pk, payload, key, author=request.user.get_username())
        return Response({"number": command.number, "state": command.state}, status=202)


class CommandDetail(ClusterView):
    """One command."""

    @answers(history_reads.CommandAnswer)
    def get(self, request: Request, cluster_id: int, number: int) -> Response:
        """Return its state and progress."""
        return respond(history_reads.read_command(self.cluster.pk, number))


class Breakpoints(ClusterView):
    """The breakpoints at which runs stop."""

    @answers(BREAKPOINTS)
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return the cluster's breakpoints."""
        return Response(self.cluster.breakpoints)

    @answers(BREAKPOINTS, write=True, request=BREAKPOINTS)
    def put(self, request: Request, cluster_id: int) -> Response:
        """Replace the breakpoints for runs that are posted later."""
        commands.set_breakpoints(self.cluster.pk, request.data)
        return Response(request.data)


class Pause(ClusterView):
    """The pause of runs."""

    @answers(cluster_states.ClusterAnswer, write=True, status=202, request=None)
    def post(self, request: Request, cluster_id: int) -> Response:
        """Stop the runs that were posted before this request, after their current cycle."""
        commands.pause(self.cluster.pk)
        return Response(cluster_states.read_state(self.cluster.pk), status=202)


class SetPace(ClusterView):
    """The pace of runs."""

    @answers(cluster_states.ClusterAnswer, write=True, request=Pace)
    def post(self, request: Request, cluster_id: int) -> Response:
        """Set cycles per second, or virtual seconds per second, for current and later runs. 0 means full speed.

        With `live`, every change starts the scheduler and the controllers. Otherwise they wait for a step.
        """
        wanted = validate_data(Pace, request.data)
        commands.set_pace(self.cluster.pk, wanted.get("cycles_per_second"), wanted.get("seconds_per_second"))
        if "live" in wanted:
            commands.set_live(self.cluster.pk, wanted["live"], author=request.user.get_username())
        return Response(cluster_states.read_state(self.cluster.pk))


def _key(value: object) -> str | None:
    if value is None or (isinstance(value, str) and 0 < len(value) <= limits.COMMAND_KEY):
        return value
    raise Refused([problem("key", say("must be a string of 1 to {most} characters", most=limits.COMMAND_KEY), value)])
