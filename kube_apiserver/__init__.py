"""What a Kubernetes API server says and does with objects, as functions of what they are given: no Django, no clock.

The playground's part, where objects are kept and who may ask, is `playground/kubernetes/`.
"""
