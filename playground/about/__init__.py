"""What comes with the playground."""
