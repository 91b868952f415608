"""What somebody may do in a cluster, asked by clients and of those who write roles."""
