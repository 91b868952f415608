"""Objects go with their owners."""
