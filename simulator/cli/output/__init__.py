"""Output of the commands: each module makes lines of text for a terminal."""
