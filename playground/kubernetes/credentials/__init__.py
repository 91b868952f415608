"""The tokens that clients log in with, except those from the UI."""
