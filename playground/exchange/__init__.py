"""In and out: files that kubectl and kube-scheduler read and write, and scenarios."""
