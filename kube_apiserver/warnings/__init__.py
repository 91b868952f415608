"""Warnings about valid but discouraged fields; `kinds` lists them by kind."""
