"""Compare the engine with what the real scheduler answered. docs/conformance.md says what is covered."""
