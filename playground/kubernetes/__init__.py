"""The Kubernetes API of each cluster, under /k8s/<cluster>/: docs/reference/kubernetes-api.md."""
