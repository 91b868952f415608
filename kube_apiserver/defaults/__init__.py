"""What an API server fills in where a client left it out, a file a group of kinds; listed in `table`."""
