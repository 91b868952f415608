"""The plugins that compare what a pod requests with what nodes have left."""
