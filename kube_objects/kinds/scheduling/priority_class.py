"""PriorityClass."""

from dataclasses import dataclass

from kube_objects import read
from kube_objects.kinds.form import IDENTITY, Input, Section
from kube_objects.kinds.kind import NEEDED_FIRST, Kind
from kube_objects.meta import KubeObject
from kube_objects.parsers.meta import read_meta
from kube_objects.read import Manifest, Problems
from kube_objects.read_fields import ALL
from kube_objects.sentences import say
from kube_objects.text.problems import Problem

_HIGHEST_USER_PRIORITY = 1_000_000_000
SYSTEM_CLASSES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
"""The classes that every cluster has, with their values. Source: pkg/apis/scheduling/helpers.go."""


@dataclass(slots=True, kw_only=True)
class PriorityClass(KubeObject):
    value: int = 0
    global_default: bool = False
    preemption_policy: str = "PreemptLowerPriority"


def parse(manifest: Manifest, problems: Problems) -> PriorityClass:
    """Source: pkg/apis/scheduling/validation ValidatePriorityClass."""
    meta = read_meta("PriorityClass", manifest, problems)
    value = read.integer(manifest, "value", "", problems)
    if value is not None and value > _HIGHEST_USER_PRIORITY and meta["name"] not in SYSTEM_CLASSES:
        problems.append(Problem("value", value, say("must be no more than {most}", most=_HIGHEST_USER_PRIORITY)))
    return PriorityClass(
        **meta,
        value=value or 0,
        global_default=read.boolean(manifest, "globalDefault", "", problems),
        preemption_policy=read.choice(
            manifest, "preemptionPolicy", "", problems, ("Never", "PreemptLowerPriority"), "PreemptLowerPriority"
        ),
    )


KIND = Kind(
    name="PriorityClass",
    group="scheduling.k8s.io",
    older=("v1beta1",),
    type=PriorityClass,
    parse=parse,
    fields={"value": ALL, "globalDefault": ALL, "preemptionPolicy": ALL},
    example="""\
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata:
  name: important
value: 1000
preemptionPolicy: PreemptLowerPriority
""",
    form=(
        IDENTITY,
        Section(
            "Order",
            (
                Input("priority", ("value",), "number", "1000"),
                Input("for pods without a class", ("globalDefault",), "check"),
                Input("preemption", ("preemptionPolicy",), "choice"),
            ),
        ),
    ),
    applied=NEEDED_FIRST + 1,
    is_built_in=lambda name: name.startswith("system-"),
)
