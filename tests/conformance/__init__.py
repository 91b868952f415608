"""Compare the engine with what the real scheduler answered. docs/reference/conformance.md says what is covered."""
