"""The arithmetic of each score plugin, one file each, for one node at a time."""
