"""Controllers and the kubelet, each with the rules of one upstream component.

A controller reads manifests and virtual time, and returns the changes that it wants. It knows nothing of the scheduler.
"""
