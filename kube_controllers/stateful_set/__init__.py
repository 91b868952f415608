"""The StatefulSet controller, for Pods with ordinals. Source: pkg/controller/statefulset."""
