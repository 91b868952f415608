"""Django's backend for SQLite, with connections that are reused across threads."""
