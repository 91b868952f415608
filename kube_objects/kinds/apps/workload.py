"""The fields of Pod-creating kinds in the apps group. Scheduling reads their selector, controllers the rest."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from kube_objects import read
from kube_objects.kinds.apps import template
from kube_objects.kinds.form import IDENTITY_IN_NAMESPACE, Input, Section
from kube_objects.kinds.kind import Kind, parse_as_is
from kube_objects.kinds.rules import MappingRule, Rule, natural, required_selector, selects_its_template
from kube_objects.meta import KubeObject
from kube_objects.read import Manifest, Problems
from kube_objects.workloads import Workload, parse_workload

_EXAMPLE = """\
apiVersion: apps/v1
kind: {name}
metadata:
  name: web
  namespace: default
spec:
{spec}  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
        - name: main
          image: registry.example/web:1.0
          resources:
            requests:
              cpu: 500m
              memory: 256Mi
"""
SELECTS = Input("selects pods with labels", ("spec", "selector", "matchLabels"), "map")
REPLICAS = Input("replicas", ("spec", "replicas"), "number", "1")
READY = Input("ready for (seconds)", ("spec", "minReadySeconds"), "number", "0")
HISTORY = Input("old revisions kept", ("spec", "revisionHistoryLimit"), "number", "10")


def workload(
    name: str,
    rules: dict[str, Rule | MappingRule],
    *,
    sections: Sequence[Section],
    example: str = "",
    scheduled_by: bool = False,
) -> Kind:
    """Return the kind of this name. `scheduled_by`: the scheduler reads its selector."""
    pods = replace(template.OF_SERVICES, is_required=not scheduled_by)
    spec = MappingRule({"selector": required_selector, "template": pods, "minReadySeconds": natural, **rules})

    def check(manifest: Manifest, problems: Problems) -> None:
        spec.check(read.mapping(manifest, "spec", "", problems) or {}, "spec", problems)
        selects_its_template(manifest, problems)

    return Kind(
        name=name,
        group="apps",
        type=Workload if scheduled_by else KubeObject,
        parse=partial(parse_workload, name) if scheduled_by else partial(parse_as_is, name),
        check=check,
        fields={"spec": spec.fields},
        example=_EXAMPLE.format(name=name, spec=example),
        form=(IDENTITY_IN_NAMESPACE, *sections, *template.form()),
    )
