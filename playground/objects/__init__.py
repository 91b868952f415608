"""A cluster's contents: Nodes, queue, Pods and objects of every kind, now or as a past cycle saw them."""
