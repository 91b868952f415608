"""How much fits at all: copies of a pod, nodes to add, nodes that can go, what breaks when something fails."""
