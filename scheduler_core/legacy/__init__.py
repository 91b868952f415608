"""kube-scheduler v1.20.2 as an engine mode of its own, and the way from its configurations to those of today."""
