"""Shared parts of plugin args; a plugin's own args are in `args` in its folder of `scheduler_core.plugins`."""
