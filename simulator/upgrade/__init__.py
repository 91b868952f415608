"""What an upgrade of kube-scheduler changes for the pods of a cluster."""
