"""What controllers of an API server itself write behind a client's write."""
