"""The life of nodes: conditions and the taints that come of them, kubelets that report or fall silent.

Source: pkg/controller/nodelifecycle, pkg/kubelet/nodestatus.
"""
