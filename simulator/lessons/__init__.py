"""Lessons: steps in Markdown, a cluster to walk through, and checks whose answers the engine computes."""
