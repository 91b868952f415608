"""The lifecycle of Nodes: conditions, the taints that follow, and the kubelets that report.

Source: pkg/controller/nodelifecycle, pkg/kubelet/nodestatus.
"""
