"""The in-tree plugins: one file a plugin, and the one table that lists them."""
