"""PodDisruptionBudget."""

from dataclasses import dataclass

from kube_objects import read
from kube_objects.kinds.form import IDENTITY_IN_NAMESPACE, Input, Section
from kube_objects.kinds.kind import Kind
from kube_objects.kinds.rules import amount
from kube_objects.kinds.written import Written
from kube_objects.meta import KubeObject
from kube_objects.parsers.meta import read_meta
from kube_objects.parsers.selectors import label_selector
from kube_objects.read import Manifest, Problems
from kube_objects.read_fields import ALL
from kube_objects.selectors import LabelSelector
from kube_objects.sentences import say
from kube_objects.text.problems import Problem


@dataclass(slots=True, kw_only=True)
class PodDisruptionBudget(KubeObject):
    """`disruptions_allowed` and `disrupted_pods` come from status: the scheduler trusts the controller's count."""

    selector: LabelSelector | None = None
    disruptions_allowed: int = 0
    disrupted_pods: frozenset[str] = frozenset()


def parse(manifest: Manifest, problems: Problems) -> PodDisruptionBudget:
    meta = read_meta("PodDisruptionBudget", manifest, problems)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    status = read.mapping(manifest, "status", "", problems) or {}
    return PodDisruptionBudget(
        **meta,
        selector=label_selector(spec, "selector", "spec", problems),
        disruptions_allowed=read.integer(status, "disruptionsAllowed", "status", problems) or 0,
        disrupted_pods=frozenset(read.mapping(status, "disruptedPods", "status", problems) or ()),
    )


def check(manifest: Manifest, problems: Problems) -> None:
    """Source: ValidatePodDisruptionBudgetSpec."""
    spec = read.mapping(manifest, "spec", "", problems) or {}
    for key in ("minAvailable", "maxUnavailable"):
        amount(spec, key, "spec", problems)
    if spec.get("minAvailable") is not None and spec.get("maxUnavailable") is not None:
        problems.append(Problem("spec", None, say("must not have both minAvailable and maxUnavailable")))


KIND = Kind(
    name="PodDisruptionBudget",
    group="policy",
    older=("v1beta1",),
    type=PodDisruptionBudget,
    parse=parse,
    check=check,
    fields={
        "spec": {"selector": ALL, "minAvailable": ALL, "maxUnavailable": ALL},
        "status": {"disruptionsAllowed": ALL, "disruptedPods": ALL},
    },
    written=(
        Written("disruptions_allowed", "status", "disruptionsAllowed", lambda json: json or 0, lambda value, _: value),
    ),
    example="""\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: web
  namespace: default
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      app: web
status:
  disruptionsAllowed: 1
""",
    form=(
        IDENTITY_IN_NAMESPACE,
        Section(
            "Protects",
            (
                Input("pods with labels", ("spec", "selector", "matchLabels"), "map"),
                Input("fewer at once", ("spec", "maxUnavailable"), "amount", "1"),
                Input("kept at least", ("spec", "minAvailable"), "amount", "80%"),
                Input("disruptions allowed now", ("status", "disruptionsAllowed"), "number", "1"),
            ),
        ),
    ),
)
