"""Lessons: the list, the text, and a walk through one of them."""
