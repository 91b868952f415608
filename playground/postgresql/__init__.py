"""Django's backend for PostgreSQL, with reused connections and prepared statements."""
