"""A controller that emits an Event with the chosen PDB when a changed Pod has several.

Source: pkg/controller/disruption/disruption.go getPdbForPod, which takes the first of a map. Here all PDBs are counted
again.
"""

from collections.abc import Iterable, Mapping

from kube_controllers.api import Api
from kube_controllers.contract import ADDED, DELETED, FINISHED, LABELS, READY, SPEC, Backoff, Outcome, ReconcileRequest
from kube_controllers.disruption.disruption_controller import COMPONENT, budgets_of
from kube_controllers.objects import View
from kube_objects.manifests import Manifest, key, name, namespace


class ChosenBudgetController:
    name = "chosen-budget"
    kind = "Pod"
    watches = frozenset({"Pod"})
    # Changes of conditions alone are frequent and don't matter here.
    event_filter: Mapping[str, int] = {"Pod": ADDED | SPEC | LABELS | DELETED | FINISHED | READY}
    needs = "PodDisruptionBudget"
    backoff = Backoff()

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        if new is not None and len(budgets_of(new, view)) > 1:
            yield ReconcileRequest(key(new))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        budgets = budgets_of(obj, view)
        if len(budgets) < 2:
            return Outcome()
        api = Api(view)
        chosen = name(budgets[view.chance.getrandbits(16) % len(budgets)])
        message = (
            f'Pod "{namespace(obj)}"/"{name(obj)}" matches multiple PodDisruptionBudgets.  '
            f'Chose "{chosen}" arbitrarily.'
        )
        api.emit_event(obj, "Warning", "MultiplePodDisruptionBudgets", message, COMPONENT)
        return Outcome(api.changes)
