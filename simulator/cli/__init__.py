"""The commands of `python -m playground`, one file each. Only these read files and clocks, and print."""
