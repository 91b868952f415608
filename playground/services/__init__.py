"""Every write to the database."""
