"""What an API server refuses, by kind: each check yields causes in upstream's words and order; listed in `table`."""
