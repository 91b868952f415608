"""One workload under several configurations or seeds: what each run decided, what it led to, where two of them part."""
