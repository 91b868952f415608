"""The Kubernetes API of each cluster, under /k8s/<cluster>/: docs/kubernetes_api.md."""
