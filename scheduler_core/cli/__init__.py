"""The commands of `python -m scheduler_core`, one file each. Only these read files and clocks, and print."""
