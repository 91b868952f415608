"""The pages of `docs/`: their order, their HTML and the search in them."""
