"""What explanations of a plugin are made of: facts about a node, lines of a calculation, the scene they look at."""
