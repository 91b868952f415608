"""The page, its words, the login."""
