"""Classes: a teacher shows a cluster; followers watch it, answer questions, and fork it."""
