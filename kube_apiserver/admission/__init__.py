"""What an API server's own admission adds to objects and refuses, a file a plugin; listed in `table`."""
