"""Imports and exports: files that kubectl and kube-scheduler read and write, scenarios, and traces."""
