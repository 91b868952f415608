"""Pod Security admission: the levels that labels of a namespace ask of its pods.

Source: k8s.io/pod-security-admission.
"""
