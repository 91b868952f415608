"""Repair: search for the cheapest edits that let a pending pod get a node, each verified by a run of the scheduler.

1. A plugin's repair rule (`repairs` in its folder) proposes edits (`scheduler_core.edits`) for its rejection.
2. `search` combines the edits, cheapest first.
3. `prover` runs each combination in a fork.

See docs/how-to/fix-a-pending-pod.md.
"""
