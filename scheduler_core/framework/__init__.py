"""The scheduling framework: the interfaces of the extension points, and the runtime of one profile."""
