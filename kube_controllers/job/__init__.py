"""The Job controller, which runs Pods to completion. Source: pkg/controller/job."""
