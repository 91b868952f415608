"""The worker that answers questions: the table of them, and its one task."""
