"""What an upgrade of kube-scheduler would change."""
