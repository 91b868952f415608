"""Export of configurations, objects and scenarios as files, for a real cluster, another playground or a script."""
