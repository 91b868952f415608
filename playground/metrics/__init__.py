"""What /metrics shows: counters and histograms, committed with the records they count, and gauges, read on the spot."""
