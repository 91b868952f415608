"""The garbage collector, which deletes objects whose owners are deleted."""
