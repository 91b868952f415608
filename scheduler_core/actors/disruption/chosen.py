"""A pod that several budgets select: an Event says, each time that the pod changes, which of them was chosen.

Source: pkg/controller/disruption/disruption.go getPdbForPod, which takes the first of a map: any. Here all of them are
counted again, so none lags behind.
"""

from collections.abc import Iterable, Mapping

from scheduler_core.actors.api import Api
from scheduler_core.actors.contract import CAME, DELETED, FINISHED, LABELS, READY, SPEC, Backoff, Outcome, Wake
from scheduler_core.actors.disruption.actor import COMPONENT, budgets_of
from scheduler_core.actors.manifests import Manifest, key, name, namespace
from scheduler_core.actors.objects import View


class ChosenBudgetActor:
    name = "chosen-budget"
    kind = "Pod"
    watches = frozenset({"Pod"})
    # What most of its versions are about; many are of its conditions alone.
    heeds: Mapping[str, int] = {"Pod": CAME | SPEC | LABELS | DELETED | FINISHED | READY}
    needs = "PodDisruptionBudget"
    backoff = Backoff()

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        if new is not None and len(budgets_of(new, view)) > 1:
            yield Wake(key(new))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        found = budgets_of(obj, view)
        if len(found) < 2:
            return Outcome()
        api = Api(view)
        chosen = name(found[view.chance.getrandbits(16) % len(found)])
        message = (
            f'Pod "{namespace(obj)}"/"{name(obj)}" matches multiple PodDisruptionBudgets.  '
            f'Chose "{chosen}" arbitrarily.'
        )
        api.tell(obj, "Warning", "MultiplePodDisruptionBudgets", message, COMPONENT)
        return Outcome(api.changes)
