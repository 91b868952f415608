"""The Common Expression Language (CEL): a parser, a type checker, and upstream's estimate of the cost of an expression.

A library evaluates expressions (`kube_objects.expressions`).
"""
