"""ReplicaSet."""

from scheduler_core.objects.kinds.apps.workload import workload

KIND = workload("ReplicaSet", "rs")
