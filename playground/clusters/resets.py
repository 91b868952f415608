"""What would a reset keep, and what would it undo?"""

from collections.abc import Mapping
from typing import Any

from playground.questions.moments import Moment
from playground.store.changes import ResetKeeps, ResetPlan, changes_of_one, named
from simulator.simulation import reset
from simulator.simulation.commands.table import COMMANDS


def plan(moment: Moment, arguments: Mapping[str, Any]) -> ResetPlan:
    """The engine's plan, and the user's changes that stay, the newest first; `more` of them are not listed."""
    found = reset.plan(moment.simulation)
    done = [one for one in reversed(changes_of_one(moment.cluster_id).done) if COMMANDS[one.kind].outlives_reset]
    shown = [named(one) for one in done[: reset.MOST_NAMED]]
    keeps: ResetKeeps = {**found["keeps"], "changes": shown, "more": len(done) - len(shown)}
    return {"keeps": keeps, "undoes": found["undoes"]}
