"""What an API server takes, and warns of; listed in `kinds`."""
