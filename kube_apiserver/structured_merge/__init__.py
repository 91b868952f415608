"""Merging of objects: server-side apply, strategic merge patch, JSON patch and JSON merge patch.

Values are what `json.loads` returns. The package depends neither on Django nor on the scheduler nor on HTTP.
"""
