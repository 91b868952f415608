"""StatefulSet: pods with ordinals, one after the other. Source: pkg/controller/statefulset."""
