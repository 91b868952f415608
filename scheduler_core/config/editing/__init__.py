"""Help for editing a configuration: its fields, all its problems, and the origin of each value."""
