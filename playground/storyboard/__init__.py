"""A cycle as one HTML file that steps without a server: see `page`. It is made of a record and its matrix alone."""
