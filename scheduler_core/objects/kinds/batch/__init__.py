"""Jobs: the batch group."""
