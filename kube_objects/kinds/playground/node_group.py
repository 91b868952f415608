"""NodeGroup: nodes of one form that the cluster autoscaler adds and takes away."""

from functools import partial

from kube_objects import read
from kube_objects.kinds.core import node
from kube_objects.kinds.form import IDENTITY, Input, Section
from kube_objects.kinds.kind import Kind, parse_as_is
from kube_objects.kinds.rules import MappingRule, decimal, natural
from kube_objects.meta import KubeObject
from kube_objects.read import Manifest, Problems
from kube_objects.sentences import say
from kube_objects.text.problems import Problem

_LIMITS = MappingRule({"minSize": natural, "maxSize": natural, "price": decimal, "provisionSeconds": decimal})
_TEMPLATE = ("spec", "template")


def check(manifest: Manifest, problems: Problems) -> None:
    spec = read.mapping(manifest, "spec", "", problems) or {}
    _LIMITS.check(spec, "spec", problems)
    least, most = spec.get("minSize"), spec.get("maxSize")
    if type(least) is int and type(most) is int and most < least:
        problems.append(Problem("spec.maxSize", most, say("must not be below minSize, which is {n}", n=least)))
    template = read.mapping(spec, "template", "spec", problems)
    if template is None:
        if spec.get("template") is None:
            read.required_text({}, "template", "spec", problems)
        return
    about = read.mapping(template, "metadata", "spec.template", problems) or {}
    named = {"name": "node", **{part: about[part] for part in ("labels", "annotations") if part in about}}
    status = read.mapping(template, "status", "spec.template", problems) or {}
    if not status.get("capacity") and not status.get("allocatable"):
        read.required_text({}, "capacity", "spec.template.status", problems)
    inside: Problems = []
    parts = {part: template[part] for part in ("spec", "status") if part in template}
    node.parse({"apiVersion": "v1", "kind": "Node", "metadata": named, **parts}, inside)
    problems.extend(one.below("spec.template.") for one in inside)


KIND = Kind(
    name="NodeGroup",
    group="playground.kube-scheduler",
    type=KubeObject,
    parse=partial(parse_as_is, "NodeGroup"),
    check=check,
    fields={
        "spec": {
            **_LIMITS.fields,
            "template": {"metadata": {"labels": None, "annotations": None}, **node.KIND.fields},
        }
    },
    example="""\
apiVersion: playground.kube-scheduler/v1
kind: NodeGroup
metadata:
  name: pool
spec:
  minSize: 0
  maxSize: 10
  price: 0.2
  provisionSeconds: 90
  template:
    status:
      capacity:
        cpu: "4"
        memory: 16Gi
        pods: "110"
""",
    form=(
        IDENTITY,
        Section(
            "Size",
            (
                Input("at least", ("spec", "minSize"), "number", "0"),
                Input("at most", ("spec", "maxSize"), "number", "10"),
                Input("price of a node for an hour", ("spec", "price"), "amount", "0.2"),
                Input("seconds until a node is there", ("spec", "provisionSeconds"), "amount", "60"),
            ),
        ),
        Section(
            "Its nodes",
            (
                Input("nodes' labels", (*_TEMPLATE, "metadata", "labels"), "map"),
                Input("CPU", (*_TEMPLATE, "status", "capacity", "cpu"), hint="4"),
                Input("memory", (*_TEMPLATE, "status", "capacity", "memory"), hint="16Gi"),
                Input("pods", (*_TEMPLATE, "status", "capacity", "pods"), hint="110"),
                Input(
                    "other resources",
                    (*_TEMPLATE, "status", "capacity"),
                    "map",
                    "nvidia.com/gpu",
                    without=("cpu", "memory", "pods"),
                ),
                Input(
                    "taints",
                    (*_TEMPLATE, "spec", "taints"),
                    "rows",
                    columns=(
                        Input("key", ("key",)),
                        Input("value", ("value",)),
                        Input("effect", ("effect",), "choice"),
                    ),
                ),
            ),
        ),
    ),
)
