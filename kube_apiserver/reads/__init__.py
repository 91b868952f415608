"""Responses to reads: selectors, the requested form, and the cells of Tables."""
