"""Lessons: their files, their checks, and the predictions that they ask for."""
