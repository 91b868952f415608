"""What is in a cluster: nodes, queue, pods, objects of every kind; now, or as a past cycle found them."""
