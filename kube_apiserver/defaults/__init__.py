"""Defaults of objects, one module per group of kinds; `table` lists them by kind."""
