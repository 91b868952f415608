"""Job: pods that run to completion. Source: pkg/controller/job."""
