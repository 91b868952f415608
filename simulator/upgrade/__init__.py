"""Upgrade check: the effects of another kube-scheduler version on the pods of a cluster."""
