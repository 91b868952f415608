"""The descheduler, which evicts misplaced Pods so that the scheduler places them again.

Source: kubernetes-sigs/descheduler, pkg/framework/plugins.
"""
