"""Arrivals: pods or jobs that come over time. What its actor refuses besides is said by an Event."""

from functools import partial

from kube_objects import read
from kube_objects.kinds.apps import template
from kube_objects.kinds.form import IDENTITY_IN_NAMESPACE, Input, Section
from kube_objects.kinds.kind import Kind, parse_as_is
from kube_objects.kinds.rules import MappingRule, PodTemplateRule, anything, decimal, load, positive, time
from kube_objects.meta import KubeObject
from kube_objects.read import Manifest, Problems
from kube_objects.sentences import say
from kube_objects.text.problems import Problem

_WAYS = ("curve", "poisson", "bursts", "times")
_POD = PodTemplateRule(template.POD_SPEC, ("Always", "Never", "OnFailure"))
_SPEC = MappingRule(
    {
        "curve": load,
        "period": time,
        "poisson": MappingRule({"perMinute": decimal}),
        "bursts": MappingRule({"every": time, "count": positive, "over": time}),
        "times": anything,
        "after": time,
        "for": time,
        "most": positive,
        "jobTemplate": anything,
    }
)


def check(manifest: Manifest, problems: Problems) -> None:
    spec = read.mapping(manifest, "spec", "", problems) or {}
    _SPEC.check(spec, "spec", problems)
    if spec.get("template") is not None:
        given = read.mapping(spec, "template", "spec", problems) or {}
        pods = read.mapping(given, "spec", "spec.template", problems) or {}
        _POD({"template": {**given, "spec": {"restartPolicy": "Never", **pods}}}, "template", "spec", problems)
    for choices in (_WAYS, ("template", "jobTemplate")):
        if sum(spec.get(one) is not None for one in choices) != 1:
            named = ", ".join(one for one in choices if spec.get(one) is not None)
            problems.append(Problem("spec", named or None, say("must have one of {fields}", fields=", ".join(choices))))


KIND = Kind(
    name="Arrivals",
    group="playground.kube-scheduler",
    type=KubeObject,
    parse=partial(parse_as_is, "Arrivals"),
    check=check,
    fields={"spec": {**_SPEC.fields, "template": _POD.fields}},
    example="""\
apiVersion: playground.kube-scheduler/v1
kind: Arrivals
metadata:
  name: day
  namespace: default
spec:
  curve: 0h=1 7h=5 12h=20 18h=40 23h=1
  most: 1000
  template:
    metadata:
      annotations:
        playground.kube-scheduler/run-seconds: ~300
    spec:
      containers:
        - name: main
          image: registry.example/work:1.0
          resources:
            requests:
              cpu: 250m
""",
    form=(
        IDENTITY_IN_NAMESPACE,
        Section(
            "When they come",
            (
                Input("a minute, over a day", ("spec", "curve"), "curve", "a minute"),
                Input("begins again after", ("spec", "period"), hint="24h"),
                Input("a minute, always alike", ("spec", "poisson", "perMinute"), "amount", "10"),
                Input("begins after", ("spec", "after"), hint="10m"),
                Input("goes on for", ("spec", "for"), hint="2h"),
                Input("at most in all", ("spec", "most"), "number", "10000"),
            ),
        ),
        *template.form(ends=True),
    ),
)
