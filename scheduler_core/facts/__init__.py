"""The parts of a plugin's explanation: facts about a node, lines of a calculation, and the attempt that they read."""
