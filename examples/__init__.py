"""Examples that the documentation builds and the tests run."""
