"""Information about the playground itself: examples, kinds, breakpoints, conformance."""
