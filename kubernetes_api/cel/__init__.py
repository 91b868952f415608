"""The Common Expression Language (CEL): a parser, and a bound of the work that an expression needs.

A library evaluates expressions (`scheduler_core.objects.expressions`). It can't be interrupted and counts nothing.
So the server calculates the bound first, and refuses what exceeds it.
"""
