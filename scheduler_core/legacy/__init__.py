"""kube-scheduler v1.20.2 as an emulation, and the conversion of past configurations to current ones."""
