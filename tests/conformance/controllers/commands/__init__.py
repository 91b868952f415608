"""The commands of kubectl, one module per family."""
