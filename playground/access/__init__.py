"""Who may read what of a cluster."""
