"""Workloads of which only the selector matters to scheduling."""

from functools import partial

from scheduler_core.objects.kinds.form import IDENTITY_IN_NAMESPACE, Input, Section
from scheduler_core.objects.kinds.kind import Kind
from scheduler_core.objects.read_fields import ALL
from scheduler_core.objects.workloads import Workload, parse_workload

_EXAMPLE = """\
apiVersion: apps/v1
kind: {name}
metadata:
  name: web
  namespace: default
spec:
  selector:
    matchLabels:
      app: web
"""


def workload(name: str, *short_names: str) -> Kind:
    """The kind of this name in the apps group."""
    return Kind(
        name=name,
        plural=f"{name.lower()}s",
        group="apps",
        short_names=short_names,
        categories=("all",),
        type=Workload,
        parse=partial(parse_workload, name),
        fields={"spec": {"selector": ALL}},
        example=_EXAMPLE.format(name=name),
        form=(
            IDENTITY_IN_NAMESPACE,
            Section("Selects", (Input("pods with labels", ("spec", "selector", "matchLabels"), "map"),)),
        ),
    )
