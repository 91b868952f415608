"""A cluster's history: records, timeline, cycles, matrices and charts."""
