"""What a read answers: which objects a selector picks, in which form, and the cells of their rows."""
