"""The metrics of /metrics: counters and histograms, stored with the records that they count, and current gauges."""
