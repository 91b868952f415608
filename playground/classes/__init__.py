"""Classes: a teacher shows a cluster, followers look on, answer, and take the moment along."""
