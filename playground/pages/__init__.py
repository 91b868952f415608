"""The HTML page, its translations, and the login."""
