"""Repair: the smallest change that makes a pod fit, found by search and proven by running the scheduler again.

A plugin's rule says what would mend it (`rules`, one file each, beside its explanation in `explain.filters`); `search`
puts edits together, cheapest first; `verify` runs them in a fork. See docs/repair.md.
"""
