"""The controller of `Arrivals` objects: it creates a Pod or a Job for each arrival at its time."""

from collections.abc import Iterable
from typing import Any

from kube_controllers.api import Api, WriteRefused
from kube_controllers.arrivals.arrival_plan import ArrivalPlan, read_plan
from kube_controllers.contract import Backoff, Outcome, ReconcileRequest, latest_version
from kube_controllers.objects import View
from kube_objects.manifests import Manifest, key, kind, name, uid
from kube_objects.sentences import say
from kube_objects.text.problems import ObjectError

COMPONENT = "arrivals"


class ArrivalsController:
    """The controller of `Arrivals` objects.

    Its memory of an object is the seed, the start, the number of arrivals so far, and the time of the last one.
    """

    name = "arrivals"
    kind = "Arrivals"
    watches = frozenset({"Arrivals"})
    backoff = Backoff()

    def __init__(self) -> None:
        self._plans: dict[str, tuple[Manifest, ArrivalPlan]] = {}  # by key, with the object version that was read

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        obj = latest_version(old, new)
        if kind(obj) == self.kind:
            if new is None:
                self._plans.pop(key(obj), None)
            else:
                yield ReconcileRequest(key(obj))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        api = Api(view)
        try:
            plan = self._plan(obj, view)
        except ObjectError as error:
            message = str(error.problems[0])
            api.emit_event(obj, "Warning", "InvalidArrivals", message, COMPONENT)
            return Outcome(
                api.changes, say("No objects arrive from {name}: {why}", name=name(obj), why=message), memory=None
            )
        memory = _memory_of(obj, plan, view)
        arrival_time = _next_arrival(plan, memory)
        if arrival_time is None or arrival_time > view.now:
            return Outcome(requeue_at=arrival_time, memory=memory)
        number = memory["count"]
        memory = {**memory, "count": number + 1, "last": arrival_time - memory["start"]}
        reason = _create_arrival(obj, plan.arrival(number), number + 1, api)
        return Outcome(api.changes, reason, _next_arrival(plan, memory), memory=memory)

    def _plan(self, obj: Manifest, view: View) -> ArrivalPlan:
        known = self._plans.get(key(obj))
        if known is None or known[0] is not obj:
            known = self._plans[key(obj)] = (obj, read_plan(obj, view.problem_of))
        return known[1]


def _memory_of(obj: Manifest, plan: ArrivalPlan, view: View) -> dict[str, Any]:
    """Return the memory of the object. A new object, or one with another spec, starts now."""
    known = view.remembered
    if isinstance(known, dict) and known.get("uid") == uid(obj) and known.get("digest") == plan.digest:
        return known
    seed, start = view.chance.getrandbits(32), view.now + plan.after
    return {"uid": uid(obj), "digest": plan.digest, "seed": seed, "start": start, "count": 0, "last": 0.0}


def _next_arrival(plan: ArrivalPlan, memory: dict[str, Any]) -> float | None:
    """Return the time of the next arrival in seconds since the Unix epoch; None if there are no more."""
    if memory["count"] >= plan.most:
        return None
    after = plan.process.next(memory["count"], memory["last"], memory["seed"])
    if after is None or (plan.until is not None and after > plan.until):
        return None
    return float(memory["start"] + after)


def _create_arrival(obj: Manifest, made: Manifest, number: int, api: Api) -> str:
    try:
        created = api.create(made)
    except WriteRefused as refused:
        api.emit_event(obj, "Warning", "FailedCreate", f"Error creating arrival {number}: {refused.message}", COMPONENT)
        return say("Arrival {number} of {name} was rejected: {why}", number=number, name=name(obj), why=refused.message)
    return say(
        "Arrival {number} of {name}: creates {kind} {object}",
        number=number,
        name=name(obj),
        kind=kind(created),
        object=name(created),
    )
