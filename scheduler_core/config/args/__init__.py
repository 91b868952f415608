"""What the args of plugins are made of; those of a plugin are `args` in its folder of `scheduler_core.plugins`."""
