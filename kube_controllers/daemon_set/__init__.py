"""DaemonSet: a pod on every node that fits. Source: pkg/controller/daemon."""
