"""ReplicaSet."""

from kube_objects.kinds.apps.workload import READY, REPLICAS, SELECTS, workload
from kube_objects.kinds.form import Section
from kube_objects.kinds.rules import natural

KIND = workload(
    "ReplicaSet",
    {"replicas": natural},
    sections=(Section("Copies", (REPLICAS, READY, SELECTS)),),
    example="  replicas: 3\n",
    scheduled_by=True,
)
