"""Files to take along: for a real cluster, for another playground, for a script."""
