"""What would mend the rejection of each plugin, one file each, and the table of them."""
