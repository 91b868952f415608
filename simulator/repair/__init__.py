"""Repair: the smallest change that makes a pod fit, found by search and proven by running the scheduler again.

A plugin's rule (`repairs` in its folder) says what would mend a rejection, in the edits of `scheduler_core.edits`;
`search` puts them together, cheapest first; `verify` runs them in a fork. See docs/repair.md.
"""
