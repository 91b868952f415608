"""The Policy file that chose predicates and priorities: read, checked, and turned into the plugins of a profile."""
