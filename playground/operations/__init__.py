"""Tools for operators: metrics, health checks, backup, the active settings, the cache debugger."""
