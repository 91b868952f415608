"""HorizontalPodAutoscaler."""

from functools import partial

from kube_objects import read
from kube_objects.kinds.form import IDENTITY_IN_NAMESPACE, Input, Section
from kube_objects.kinds.kind import Kind, parse_as_is
from kube_objects.kinds.rules import MappingRule, anything, choice, load, natural, positive, required, time
from kube_objects.meta import KubeObject
from kube_objects.read import Manifest, Problems
from kube_objects.sentences import say
from kube_objects.text.problems import Problem

_PREFIX = "playground.kube-scheduler/"
_METRIC_TARGET = MappingRule(
    {"type": choice("AverageValue", "Utilization", "Value"), "averageUtilization": positive, "averageValue": anything}
)
_SCALING_RULES = MappingRule(
    {
        "stabilizationWindowSeconds": natural,
        "selectPolicy": choice("Disabled", "Max", "Min"),
        "tolerance": anything,
        "policies": MappingRule(
            {"type": choice("Percent", "Pods"), "value": positive, "periodSeconds": positive}, is_list=True
        ),
    }
)
_SPEC = MappingRule(
    {
        "scaleTargetRef": MappingRule({"apiVersion": read.text, "kind": required, "name": required}),
        "minReplicas": natural,
        "maxReplicas": positive,
        "metrics": MappingRule(
            {
                "type": choice("ContainerResource", "External", "Object", "Pods", "Resource"),
                "resource": MappingRule({"name": required, "target": _METRIC_TARGET}),
                "containerResource": anything,
                "pods": anything,
                "object": anything,
                "external": anything,
            },
            is_list=True,
        ),
        "behavior": MappingRule({"scaleDown": _SCALING_RULES, "scaleUp": _SCALING_RULES}),
    }
)


def check(manifest: Manifest, problems: Problems) -> None:
    spec = read.mapping(manifest, "spec", "", problems) or {}
    _SPEC.check(spec, "spec", problems)
    if spec.get("scaleTargetRef") is None:
        read.required_text({}, "scaleTargetRef", "spec", problems)
    minimum, maximum = spec.get("minReplicas"), spec.get("maxReplicas")
    if maximum is None:
        read.required_text({}, "maxReplicas", "spec", problems)
    if type(minimum) is int and type(maximum) is int and maximum < minimum:
        problems.append(
            Problem("spec.maxReplicas", maximum, say("must not be below minReplicas, which is {n}", n=minimum))
        )
    metadata = read.mapping(manifest, "metadata", "", []) or {}
    annotations = read.mapping(metadata, "annotations", "metadata", []) or {}
    for name in annotations:
        if name == f"{_PREFIX}load-period":
            time(annotations, name, "metadata.annotations", problems)
        elif isinstance(name, str) and name.startswith(f"{_PREFIX}load-"):
            load(annotations, name, "metadata.annotations", problems)


_TARGET_PATH = ("spec", "scaleTargetRef")
_SCALE_DOWN_PATH = ("spec", "behavior", "scaleDown")

KIND = Kind(
    name="HorizontalPodAutoscaler",
    group="autoscaling",
    version="v2",
    type=KubeObject,
    parse=partial(parse_as_is, "HorizontalPodAutoscaler"),
    check=check,
    fields={"spec": _SPEC.fields},
    example="""\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web
  namespace: default
  annotations:
    playground.kube-scheduler/load-cpu: 0h=500m 8h=1 12h=4 18h=6 23h=500m
    playground.kube-scheduler/load-period: 24h
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: web
  minReplicas: 2
  maxReplicas: 10
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: 60
""",
    form=(
        IDENTITY_IN_NAMESPACE,
        Section(
            "Scales",
            (
                Input("kind", (*_TARGET_PATH, "kind"), hint="Deployment"),
                Input("its name", (*_TARGET_PATH, "name"), hint="web"),
                Input("at least", ("spec", "minReplicas"), "number", "1"),
                Input("at most", ("spec", "maxReplicas"), "number", "10"),
                Input(
                    "to keep in use",
                    ("spec", "metrics"),
                    "rows",
                    columns=(
                        Input("metric", ("type",), "choice"),
                        Input("resource", ("resource", "name"), hint="cpu"),
                        Input("measured as", ("resource", "target", "type"), "choice"),
                        Input("per cent", ("resource", "target", "averageUtilization"), "number", "60"),
                    ),
                ),
                Input(
                    "waits before scaling down (seconds)",
                    (*_SCALE_DOWN_PATH, "stabilizationWindowSeconds"),
                    "number",
                    "300",
                ),
            ),
        ),
        Section(
            "The load",
            (
                Input("CPU in use over time", ("metadata", "annotations", f"{_PREFIX}load-cpu"), "curve", "cores"),
                Input("begins again after", ("metadata", "annotations", f"{_PREFIX}load-period"), hint="24h"),
            ),
        ),
    ),
)
