"""The plan of a reset."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from playground.models.clusters import CHANGES_AT_A_TIME
from playground.questions.moments import Moment
from playground.store.undo_stacks import ResetKeeps, ResetPlan, changes_reader, describe_change, read_undo_stack
from simulator.simulation import reset
from simulator.simulation.commands.table import COMMANDS


def plan_reset(moment: Moment, arguments: Mapping[str, Any]) -> ResetPlan:
    """Return the engine's plan and the user's changes that stay, newest first.

    `more` is the number of changes not listed.
    """
    engine_plan = reset.plan_reset(moment.simulation)
    changes = islice(read_undo_stack(changes_reader(moment.cluster_id)), CHANGES_AT_A_TIME)
    outlasting = [change for change in changes if COMMANDS[change.kind].outlives_reset]
    shown = [describe_change(change) for change in outlasting[: reset.MOST_NAMED]]
    keeps: ResetKeeps = {**engine_plan["keeps"], "changes": shown, "more": len(outlasting) - len(shown)}
    return {"keeps": keeps, "undoes": engine_plan["undoes"]}
