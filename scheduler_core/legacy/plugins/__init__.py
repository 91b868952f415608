"""The plugins of v1.20.2 that differ from current ones or no longer exist, and the table of all its plugins."""
