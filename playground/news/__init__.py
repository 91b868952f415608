"""The WebSocket messages of the stream, and their publication."""
