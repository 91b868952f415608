"""The parts of repairs: edits of the cluster with their costs, and the questions that rules of plugins answer."""
