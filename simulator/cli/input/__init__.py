"""What the commands read: scenarios, stories, traces, vectors, each with its errors."""
