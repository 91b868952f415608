"""What the playground has of its own: node groups, arrivals."""
