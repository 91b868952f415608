"""Rows beside the records that reads, replays and undo need. Nothing in this package runs the engine."""
