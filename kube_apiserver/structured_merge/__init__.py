"""How Kubernetes merges objects: server-side apply, strategic merge patch, JSON patch and JSON merge patch.

Values are what `json.loads` gives. The package knows nothing of Django, of the scheduler's engine or of HTTP.
"""
