"""Workers of clusters: leases, loading, applying commands, and the transactions that store their records."""
