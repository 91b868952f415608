"""Every read of the database."""
