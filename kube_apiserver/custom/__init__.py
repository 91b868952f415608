"""CustomResourceDefinitions and custom resources."""
