"""What each filter plugin looked at on one node, one file each."""
