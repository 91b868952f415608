"""The media types of patches."""

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = ("application/apply-patch+yaml", "application/apply-patch+json")
PATCHES = (JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, *APPLY_PATCH)
