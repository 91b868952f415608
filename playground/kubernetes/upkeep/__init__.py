"""The controllers of the API server itself, which run after a client's write."""
