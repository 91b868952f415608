"""What repairs are made of: an edit of the cluster and what it costs, and what a rule of a plugin is asked."""
