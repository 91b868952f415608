"""Conversion of past configurations to current ones, with an explanation of each line."""
