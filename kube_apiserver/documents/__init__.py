"""What clients ask first: which resources are served, and the OpenAPI documents of them."""
