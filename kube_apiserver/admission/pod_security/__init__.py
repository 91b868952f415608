"""Pod Security admission: the levels that the labels of a namespace require of its Pods.

Source: k8s.io/pod-security-admission.
"""
