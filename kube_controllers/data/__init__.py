"""What is not written by hand."""
