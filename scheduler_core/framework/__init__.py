"""The scheduling framework: the contracts of the extension points, and the runtime of one profile."""
