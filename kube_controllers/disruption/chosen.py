"""A pod that several budgets select: an Event says, each time that the pod changes, which of them was chosen.

Source: pkg/controller/disruption/disruption.go getPdbForPod, which takes the first of a map: any. Here all of them are
counted again, so none lags behind.
"""

from collections.abc import Iterable, Mapping

from kube_controllers.api import Api
from kube_controllers.contract import CAME, DELETED, FINISHED, LABELS, READY, SPEC, Backoff, Outcome, Wake
from kube_controllers.disruption.actor import COMPONENT, budgets_of
from kube_controllers.objects import View
from kube_objects.manifests import Manifest, key, name, namespace


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
