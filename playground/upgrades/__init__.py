"""Upgrades: the effects of another kube-scheduler version on a cluster's Pods."""
