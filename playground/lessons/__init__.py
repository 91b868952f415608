"""Lessons: their list, texts, and each user's progress in them."""
