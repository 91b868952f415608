"""A cycle as one HTML file that steps through it without a server, made from its record and matrix; see `page`."""
