"""The plugins of v1.20.2 that differ from today's or no longer exist, and the table of all that it had."""
