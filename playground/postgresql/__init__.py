"""Django's backend for PostgreSQL, with connections that are kept, and statements that the server has planned."""
