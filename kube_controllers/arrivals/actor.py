"""What brings the load: a pod or a job for each arrival, each one at its time, and a record of its own."""

from collections.abc import Iterable
from typing import Any

from kube_controllers.api import Api, Refused
from kube_controllers.arrivals.plan import Plan, plan_of
from kube_controllers.contract import Backoff, Outcome, Wake, subject
from kube_controllers.objects import View
from kube_objects.manifests import Manifest, key, kind, name, uid
from kube_objects.sentences import say
from kube_objects.text.problems import ObjectError

COMPONENT = "arrivals"


class ArrivalsActor:
    """It remembers of each object its seed, when it began, how many have come, and when the last one did."""

    name = "arrivals"
    kind = "Arrivals"
    watches = frozenset({"Arrivals"})
    backoff = Backoff()

    def __init__(self) -> None:
        self._plans: dict[str, tuple[Manifest, Plan]] = {}  # as they were read from these objects

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        obj = subject(old, new)
        if kind(obj) == self.kind:
            if new is None:
                self._plans.pop(key(obj), None)
            else:
                yield Wake(key(obj))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        api = Api(view)
        try:
            plan = self._plan(obj, view)
        except ObjectError as error:
            message = str(error.problems[0])
            api.tell(obj, "Warning", "InvalidArrivals", message, COMPONENT)
            return Outcome(
                api.changes, say("Nothing arrives of {name}: {why}", name=name(obj), why=message), memory=None
            )
        memory = _remembered(obj, plan, view)
        at = _next(plan, memory)
        if at is None or at > view.now:
            return Outcome(wake_at=at, memory=memory)
        number = memory["count"]
        memory = {**memory, "count": number + 1, "last": at - memory["start"]}
        reason = _arrive(obj, plan.arrival(number), number + 1, api)
        return Outcome(api.changes, reason, _next(plan, memory), memory=memory)

    def _plan(self, obj: Manifest, view: View) -> Plan:
        known = self._plans.get(key(obj))
        if known is None or known[0] is not obj:
            known = self._plans[key(obj)] = (obj, plan_of(obj, view.problem_of))
        return known[1]


def _remembered(obj: Manifest, plan: Plan, view: View) -> dict[str, Any]:
    """One that is new, or asks for something else, begins now."""
    known = view.remembered
    if isinstance(known, dict) and known.get("uid") == uid(obj) and known.get("digest") == plan.digest:
        return known
    seed, start = view.chance.getrandbits(32), view.now + plan.after
    return {"uid": uid(obj), "digest": plan.digest, "seed": seed, "start": start, "count": 0, "last": 0.0}


def _next(plan: Plan, memory: dict[str, Any]) -> float | None:
    """When the next one comes, in seconds since the Unix epoch; None if no more come."""
    if memory["count"] >= plan.most:
        return None
    after = plan.process.next(memory["count"], memory["last"], memory["seed"])
    if after is None or (plan.until is not None and after > plan.until):
        return None
    return float(memory["start"] + after)


def _arrive(obj: Manifest, made: Manifest, number: int, api: Api) -> str:
    try:
        created = api.create(made)
    except Refused as refused:
        api.tell(obj, "Warning", "FailedCreate", f"Error creating arrival {number}: {refused.message}", COMPONENT)
        return say("Arrival {number} of {name} is refused: {why}", number=number, name=name(obj), why=refused.message)
    return say(
        "Arrival {number} of {name}: {kind} {object} comes",
        number=number,
        name=name(obj),
        kind=kind(created),
        object=name(created),
    )
