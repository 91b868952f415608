"""One parser a kind: from a manifest to the typed object, with every problem noted by path."""
