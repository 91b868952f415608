"""Why: what the engine has to say about a cycle."""
