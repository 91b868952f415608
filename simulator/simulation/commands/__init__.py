"""The commands, which are the only way to change a cluster. `table` lists them. See docs/trace_format.md."""
