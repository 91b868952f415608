"""The frames of the stream, and how they are sent."""
