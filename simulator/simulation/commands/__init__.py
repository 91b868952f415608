"""The commands: the only way to change a cluster. A file a family, all listed in `table`. See docs/trace_format.md."""
