"""The in-tree plugins: one folder or file per plugin, and the table that lists them."""
