"""Comparison of runs of one workload under several configurations or seeds: decisions, metrics and differences."""
