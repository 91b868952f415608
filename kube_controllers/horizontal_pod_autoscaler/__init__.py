"""HorizontalPodAutoscaler: replicas that follow a load. Source: pkg/controller/podautoscaler."""
