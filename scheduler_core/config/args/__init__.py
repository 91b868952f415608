"""The args of the in-tree plugins, a file a plugin: type and defaults, checks, words. `table` lists them."""
