"""Django's backend for SQLite, whose connections outlive the threads that use them."""
