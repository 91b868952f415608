"""The page, and what guards every request."""
