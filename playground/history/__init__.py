"""What happened: records, timeline, cycles, matrices."""
