"""Rows beside the records: what reads, replays and undo need. Nothing here runs the engine."""
