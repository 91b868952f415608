"""The Policy file with predicates and priorities: decode it, validate it, and convert it to a profile's plugins."""
