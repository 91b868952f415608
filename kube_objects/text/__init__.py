"""Text in and out: YAML and JSON within limits, where things stand in them, what is wrong with them, Go's formats."""
