"""Arrivals: pods and jobs that come over virtual time, as an `Arrivals` object of the cluster says."""
