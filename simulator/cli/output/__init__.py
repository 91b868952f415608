"""What the commands print: each a module that makes lines of text for a terminal."""
