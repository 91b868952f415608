"""PodGroup: pods that are scheduled together. Source: k8s.io/api/scheduling/v1alpha2."""

from dataclasses import dataclass

from kube_objects import field_errors, read
from kube_objects.kinds.conditions import CONDITION, CONDITIONS
from kube_objects.kinds.form import IDENTITY_IN_NAMESPACE, Input, Section
from kube_objects.kinds.kind import Kind
from kube_objects.meta import KubeObject
from kube_objects.parsers.meta import read_meta
from kube_objects.parsers.pod import read_conditions
from kube_objects.pod import PodCondition
from kube_objects.read import Manifest, Problems
from kube_objects.read_fields import ALL
from kube_objects.sentences import say
from kube_objects.text.problems import Problem


@dataclass(slots=True, kw_only=True)
class PodGroup(KubeObject):
    """Pods that are scheduled together. `min_count`: how many must find room at once for any of them to be bound; None
    for the basic policy, under which each is bound for itself.
    """

    min_count: int | None = None
    conditions: tuple[PodCondition, ...] = ()


def parse(manifest: Manifest, problems: Problems) -> PodGroup:
    """Source: pkg/apis/scheduling/validation ValidatePodGroup."""
    meta = read_meta("PodGroup", manifest, problems)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    path = "spec.schedulingPolicy"
    policy = read.mapping(spec, "schedulingPolicy", "spec", problems) or {}
    gang = read.mapping(policy, "gang", path, problems)
    if (gang is None) == (policy.get("basic") is None):
        problems.append(Problem(path, None, say("must have exactly one of basic and gang")))
    return PodGroup(
        **meta,
        min_count=None if gang is None else _min_count(gang, f"{path}.gang", problems),
        conditions=read_conditions(read.mapping(manifest, "status", "", problems) or {}, problems),
    )


def _min_count(gang: Manifest, path: str, problems: Problems) -> int:
    if gang.get("minCount") is None:
        problems.append(field_errors.required(f"{path}.minCount"))
    return read.integer(gang, "minCount", path, problems, 1) or 1


KIND = Kind(
    name="PodGroup",
    group="scheduling.k8s.io",
    version="v1alpha2",
    type=PodGroup,
    parse=parse,
    fields={
        "spec": {"schedulingPolicy": {"basic": ALL, "gang": {"minCount": ALL}}},
        "status": {"conditions": CONDITION},
    },
    written=(CONDITIONS,),
    wakes_pods=True,
    example="""\
apiVersion: scheduling.k8s.io/v1alpha2
kind: PodGroup
metadata:
  name: training
  namespace: default
spec:
  schedulingPolicy:
    gang:
      minCount: 4
""",
    form=(
        IDENTITY_IN_NAMESPACE,
        Section(
            "Scheduled together",
            (Input("pods at once", ("spec", "schedulingPolicy", "gang", "minCount"), "number", "4"),),
        ),
    ),
)
