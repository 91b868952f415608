"""Read access to clusters: owners, followers of classes, and viewers of shared moments."""
