"""Validation of objects by kind.

Each check yields causes with upstream's messages, in upstream's order; `table` lists the checks.
"""
