"""The commands: the only way to change a cluster. `table` lists them. See docs/reference/commands-and-trace.md."""
