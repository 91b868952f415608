"""The HorizontalPodAutoscaler controller, with metrics from annotations. Source: pkg/controller/podautoscaler."""
