"""ReplicaSet."""

from scheduler_core.objects.kinds.apps.workload import READY, REPLICAS, SELECTS, workload
from scheduler_core.objects.kinds.form import Section
from scheduler_core.objects.kinds.rules import natural

KIND = workload(
    "ReplicaSet",
    "rs",
    {"replicas": natural},
    sections=(Section("Copies", (REPLICAS, READY, SELECTS)),),
    example="  replicas: 3\n",
    scheduled_by=True,
)
