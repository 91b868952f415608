"""For operators: metrics, health, backup, the settings in effect, the cache debugger."""
