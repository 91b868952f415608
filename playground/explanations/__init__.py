"""Explanations of cycles by the engine, and of terms."""
