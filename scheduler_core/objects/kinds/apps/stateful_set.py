"""StatefulSet: only its selector matters to scheduling."""

from functools import partial

from scheduler_core.objects.kinds.form import IDENTITY_IN_NAMESPACE, Input, Section
from scheduler_core.objects.kinds.kind import Kind
from scheduler_core.objects.read_fields import ALL
from scheduler_core.objects.workloads import Workload, parse_workload

KIND = Kind(
    name="StatefulSet",
    plural="statefulsets",
    group="apps",
    short_names=("sts",),
    categories=("all",),
    type=Workload,
    parse=partial(parse_workload, "StatefulSet"),
    fields={"spec": {"selector": ALL}},
    example="""\
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: web
  namespace: default
spec:
  selector:
    matchLabels:
      app: web
""",
    form=(
        IDENTITY_IN_NAMESPACE,
        Section("Selects", (Input("pods with labels", ("spec", "selector", "matchLabels"), "map"),)),
    ),
)
