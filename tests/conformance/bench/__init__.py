"""Benchmarks of the engine alone: workloads like those of upstream's scheduler_perf, measured without an API server."""
